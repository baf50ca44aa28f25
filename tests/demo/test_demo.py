"""The demo: the fit against an exact closed form, and the page it writes."""

import itertools
from fractions import Fraction
from html.parser import HTMLParser

import numpy as np
import pytest

from autodiff import Scalar
from course.data import load
from course.demo import gradient_check, main
from course.demo.figures import DARK, LIGHT
from course.demo.regression import Standardised, agreeing_digits, closed_form, cost_of, descend
from course.demo.report import three_sample_cost

ENGEL = load("engel")
DATA = Standardised.of(ENGEL["income"], ENGEL["foodexp"])
STEPS = list(descend(DATA))


def exact_line(x, y):
    """Least squares in whole fractions: an independent witness."""
    xs, ys = [Fraction(v) for v in x.tolist()], [Fraction(v) for v in y.tolist()]
    n, sx, sy = len(xs), sum(xs), sum(ys)
    slope = (n * sum(a * b for a, b in zip(xs, ys, strict=True)) - sx * sy) / (
        n * sum(a * a for a in xs) - sx * sx
    )
    return float((sy - slope * sx) / n), float(slope)


def test_the_fit_agrees_with_the_closed_form_and_that_with_an_exact_one():
    fit = DATA.line(STEPS[-1].b, STEPS[-1].w)
    certified = closed_form(ENGEL["income"], ENGEL["foodexp"])
    exact = exact_line(ENGEL["income"], ENGEL["foodexp"])
    assert exact == pytest.approx((147.475388523706, 0.485178423677), rel=1e-12)
    assert (certified.intercept, certified.slope) == pytest.approx(exact, rel=1e-12)
    assert (fit.intercept, fit.slope) == pytest.approx(exact, rel=1e-9)


def test_the_path_is_gradient_descent():
    for before, after in itertools.pairwise(STEPS):
        assert after.cost <= before.cost + 1e-15  # the last steps differ by rounding
        assert (after.b, after.w) == (before.b - 0.1 * before.db, before.w - 0.1 * before.dw)
    assert STEPS[-1].cost == pytest.approx(1 - np.corrcoef(DATA.x, DATA.y)[0, 1] ** 2, rel=1e-12)


def test_tensors_take_the_same_path_as_scalars():
    for one, other in zip(STEPS, descend(DATA, engine="tensor"), strict=True):
        assert (other.b, other.w) == pytest.approx((one.b, one.w), rel=1e-12, abs=1e-12)
        assert other.cost == pytest.approx(one.cost, rel=1e-12)
        assert (other.db, other.dw) == pytest.approx((one.db, one.dw), abs=1e-12)


def test_the_gradient_agrees_with_nudging():
    for name, got, numeric in gradient_check(DATA, STEPS[0]):
        # central differences at the best step: about 1e-10 of the slope
        assert got == pytest.approx(numeric, rel=1e-9), name


def test_the_small_graph_is_the_cost_of_three_households():
    small = three_sample_cost(DATA, STEPS[0])
    assert set(small.grad()) == {"b", "w"}
    b, w = Scalar(1.0, name="b"), Scalar(2.0, name="w")
    assert cost_of(b, w, [3.0, -1.0], [5.0, 0.0]).value == 2.5  # (1 + 6 − 5)² and (1 − 2)², halved


@pytest.mark.parametrize(("got", "digits"), [(147.0, 15.0), (147.0 * (1 + 1e-9), 9.0), (147.0 * 1.5, 0.3)])
def test_agreeing_digits(got, digits):
    assert agreeing_digits(got, 147.0) == digits


class Page(HTMLParser):
    """Collects what the tests ask of a page."""

    def __init__(self):
        super().__init__()
        self.tags, self.images, self.addresses = [], [], []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tags.append(tag)
        if tag == "img":
            self.images.append(attrs)
        self.addresses += [v for k, v in attrs.items() if k in ("src", "href", "srcset", "xlink:href") and v]


def test_the_page_stands_alone_and_the_terminal_says_the_same(tmp_path, capsys):
    assert main(["--out", str(tmp_path / "out")]) == 0
    printed = capsys.readouterr().out
    text = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    page = Page()
    page.feed(text)
    assert "147.475388524" in printed
    assert "0.485178423677" in printed
    assert "147.475388524" in text
    assert len(page.images) == 3
    assert all(len(image["alt"]) > 40 for image in page.images)
    assert page.tags.count("svg") == 2  # the forward and the gradient graph, themselves
    assert page.tags.count("source") == 3  # a dark twin for each figure
    assert "script" not in page.tags
    assert all(a.startswith(("data:", "#")) for a in page.addresses)
    assert "url(http" not in text
    assert "prefers-color-scheme: dark" in text
    assert str(tmp_path / "out" / "report.html") in printed
    assert "next" in printed.lower()
    rows = [line.split() for line in printed.splitlines() if "u05-multiply" in line]
    assert [(row[0], row[2], row[4], row[-1]) for row in rows] == [
        ("ada", "5", "5", "pass"),
        ("ben", "1", "5", "M16"),
        ("cleo", "0", "5", "missing"),
    ]
    assert (tmp_path / "out" / "grades" / "feedback" / "ben.html").is_file()


def _luminance(colour):
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("role", ["ink", "data", "fit", "path"])
def test_colours_stand_out_from_the_page(theme, role):
    low, high = sorted((_luminance(getattr(theme, role)), _luminance(theme.paper)))
    assert (high + 0.05) / (low + 0.05) >= 4.5


def test_the_same_data_give_the_same_page(tmp_path):
    pages = []
    for k in range(2):
        main(["--out", str(tmp_path / str(k))])
        pages.append((tmp_path / str(k) / "report.html").read_text(encoding="utf-8"))
    assert pages[0] == pages[1]
