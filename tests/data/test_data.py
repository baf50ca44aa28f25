"""The bundled data: the rows as published, and the fits that everybody else finds in them."""

from __future__ import annotations

import doctest
import hashlib
from fractions import Fraction
from importlib import resources

import numpy as np
import pytest

import course.data
from course.data import load

FILES = [
    ("engel", ("income", "foodexp"), 235, "1ab6a5c4e884ef9ad624949d2b7e94652eccd75ba3905d1a46c85d28b153ec49"),
    ("norris", ("x", "y"), 36, "74ad6373719fea7bc97ddcafc9c1276705afed853a6e7bd1e61904997aa0fc3b"),
]
FOLDER = resources.files("course.data")


def line(x, y):
    """Intercept, slope and residual sum of squares of the least-squares line, in exact fractions."""
    n, sx, sy = len(x), sum(x), sum(y)
    slope = (n * sum(a * b for a, b in zip(x, y, strict=True)) - sx * sy) / (
        n * sum(a * a for a in x) - sx * sx
    )
    intercept = (sy - slope * sx) / n
    return intercept, slope, sum((b - intercept - slope * a) ** 2 for a, b in zip(x, y, strict=True))


def as_printed(name):
    """The columns as fractions of the decimal numbers in the file, which no float can hold exactly."""
    rows = (FOLDER / f"{name}.csv").read_text().split()[1:]
    return tuple(zip(*[[Fraction(cell) for cell in row.split(",")] for row in rows], strict=True))


@pytest.mark.parametrize(("name", "columns", "rows", "checksum"), FILES)
def test_rows_columns_and_checksum(name, columns, rows, checksum):
    data = load(name)
    assert tuple(data.columns) == columns
    for column in columns:
        assert data[column].shape == (rows,)
        assert data[column].dtype == np.float64
        assert np.isfinite(data[column]).all()
    assert hashlib.sha256((FOLDER / f"{name}.csv").read_bytes()).hexdigest() == checksum


@pytest.mark.parametrize(("name", "columns", "rows", "checksum"), FILES)
def test_each_file_states_its_source_and_checksum(name, columns, rows, checksum):
    text = (FOLDER / "DATA_LICENSES.md").read_text(encoding="utf-8")
    assert f"## {name}.csv" in text
    assert checksum in text
    assert str(rows) in text


def test_the_list_of_names_is_the_list_of_files():
    assert sorted(p.name[:-4] for p in FOLDER.iterdir() if p.name.endswith(".csv")) == list(course.data.NAMES)


@pytest.mark.parametrize(("name", "columns", "rows", "checksum"), FILES)
def test_load_gives_the_numbers_of_the_file(name, columns, rows, checksum):
    data = load(name)
    for column, printed in zip(columns, as_printed(name), strict=True):
        assert data[column].tolist() == [float(value) for value in printed]


def test_engel_against_the_known_line():
    intercept, slope, squares = line(*as_printed("engel"))
    assert float(intercept) == pytest.approx(147.475388523706, rel=1e-12)
    assert float(slope) == pytest.approx(0.485178423677, rel=1e-12)
    assert float(squares / 235) == pytest.approx(12909.8, rel=1e-6)  # the mean square, known to 0.05


def test_norris_against_its_certified_values():
    intercept, slope, squares = line(*as_printed("norris"))
    certified = load("norris").certified
    x, y = as_printed("norris")
    total = sum((b - sum(y) / 36) ** 2 for b in y)
    spread = sum((a - sum(x) / 36) ** 2 for a in x)
    mean_square = squares / 34
    exact = {
        "intercept": float(intercept),
        "slope": float(slope),
        "intercept_standard_deviation": float(mean_square * sum(a * a for a in x) / (36 * spread)) ** 0.5,
        "slope_standard_deviation": float(mean_square / spread) ** 0.5,
        "residual_standard_deviation": float(mean_square) ** 0.5,
        "r_squared": float(1 - squares / total),
        "regression_sum_of_squares": float(total - squares),
        "residual_sum_of_squares": float(squares),
        "residual_mean_square": float(mean_square),
        "f_statistic": float((total - squares) / mean_square),
    }
    # 15 digits are printed, so half a unit of the last one is at most 5e-15 of the value
    assert certified == pytest.approx(exact, rel=5e-15, abs=0)


def test_a_stranger_is_told_what_there_is():
    with pytest.raises(ValueError, match=r"no data set 'iris'; there are engel, norris"):
        load("iris")
    with pytest.raises(KeyError, match="engel has no column 'x'; it has income, foodexp"):
        load("engel")["x"]


def test_changing_an_array_changes_nobody_elses():
    first = load("engel")
    first["income"][:] = 0.0
    assert load("engel")["income"].all()
    assert first["foodexp"].all()


def test_engel_as_in_statsmodels():
    engel = pytest.importorskip(
        "statsmodels.datasets.engel", reason="compares with statsmodels where installed"
    )
    theirs = engel.load_pandas().data
    ours = load("engel")
    assert ours["income"].tolist() == theirs["income"].tolist()
    assert ours["foodexp"].tolist() == theirs["foodexp"].tolist()


def test_norris_as_in_scipy():
    scipy = pytest.importorskip("scipy", reason="compares with SciPy's copy of the NIST file where installed")
    file = resources.files(scipy) / "stats" / "tests" / "data" / "nist_linregress" / "Norris.dat"
    if not file.is_file():
        pytest.skip("this SciPy came without its tests")
    rows = [row.split() for row in file.read_text().splitlines()[60:96]]
    ours = load("norris")
    assert ours["y"].tolist() == [float(y) for y, _ in rows]
    assert ours["x"].tolist() == [float(x) for _, x in rows]


def test_the_example_runs():
    result = doctest.testmod(course.data)
    assert result.attempted
    assert not result.failed
