"""Each workload of benchmarks/, tiny: all engines that are here answer as the hand-written code does."""

import dataclasses
import json

import numpy as np
import pytest

from benchmarks import cli, fresh, measure, report
from benchmarks.engines import installed
from benchmarks.fresh import FRESH
from benchmarks.workloads import WORKLOADS


@pytest.mark.parametrize("name", WORKLOADS)
def test_all_engines_agree_with_the_hand_written_code(name):
    workload = WORKLOADS[name]
    engines = installed(workload.scalar)
    runs, failed = measure.agreed(workload.tiny_problem(), engines)
    assert {"hand", "ours"} <= set(runs)
    assert set(failed) <= {"mygrad", "mygrad-unguarded"}, "only MyGrad has no second derivatives"


@pytest.mark.parametrize("name", WORKLOADS)
def test_the_hand_written_gradient_is_the_slope_of_the_loss(name):
    problem = dataclasses.replace(WORKLOADS[name].tiny_problem(), steps=0, rate=0.0)
    if problem.directions:
        pytest.skip("its answer is a second derivative; the engines' own answers hold it")
    rng, h = np.random.default_rng(3), 1e-6
    along = [rng.standard_normal(np.shape(each)) for each in problem.variables]
    values = []
    for sign in (1.0, -1.0):
        moved = [v + sign * h * d for v, d in zip(problem.variables, along, strict=True)]
        values.append(problem.hand(moved, problem.constants)[0])
    _, gradients = problem.hand([np.array(v) for v in problem.variables], problem.constants)
    slope = sum(np.sum(g * d) for g, d in zip(gradients, along, strict=True))
    assert (values[0] - values[1]) / (2 * h) == pytest.approx(slope, rel=1e-6, abs=1e-8)


def test_a_wrong_answer_is_not_timed():
    problem = WORKLOADS["T3"].tiny_problem()

    def wrong(variables, constants):
        value, (gx, gy) = problem.hand(variables, constants)
        return value, [gx, gy * (1.0 + 1e-6)]

    with pytest.raises(measure.DisagreementError, match=r"ours is off by 1\.0e-06"):
        measure.agreed(dataclasses.replace(problem, hand=wrong), installed(False, ["ours"]))


def test_each_size_has_a_figure_that_is_asked():
    for workload in WORKLOADS.values():
        assert workload.sizes.keys() == workload.asked.keys(), workload.name


def test_a_chain_of_scalars_has_the_slope_it_should():
    assert fresh.chain("hand", 100) > 0
    assert fresh.chain("ours", 100) > 0


def test_memory_is_counted_in_arrays_a_layer():
    # Whole arrays are kept, none or one or two a layer; 0.3 is room for what Python itself allocates.
    assert fresh.tanh_memory("ours", layers=20, n=10_000) == pytest.approx(1.0, abs=0.3)
    assert fresh.add_memory("ours", layers=20, n=10_000) < 0.3


def test_the_command_writes_a_table_and_a_file(capsys, tmp_path):
    file = tmp_path / "figures.json"
    chosen = ["S2", "--engines", "ours", "--rounds", "1", "--budget", "0.1"]
    assert cli.main([*chosen, "--json", str(file)]) == 0
    assert "m = 1000" in capsys.readouterr().out
    record = json.loads(file.read_text(encoding="utf-8"))
    assert [line["size"] for line in record["lines"]] == ["m = 10", "m = 100", "m = 1000"]
    assert "numpy" in record["machine"]


def test_unknown_names_are_refused(capsys):
    assert cli.main(["T99"]) == 2
    assert cli.main(["T3", "--engines", "theirs"]) == 2
    told = capsys.readouterr().out
    assert "no workload T99" in told
    assert "no engine theirs" in told


@pytest.mark.parametrize(
    ("figure", "unit", "verdict"),
    [
        (1.5, "ms", "met"),
        (2.5, "ms", "short"),
        (2.02, "arrays a layer", "met"),
        ("RecursionError", "ms", "short"),
    ],
)
def test_met_or_short(figure, unit, verdict):
    line = report.Line("T", "", "a title", unit, asked=2.0, hand="-", figures={"ours": figure})
    assert line.verdict == verdict
    assert verdict in report.table([line], ["ours"])


def test_what_needs_a_process_of_its_own_names_known_engines():
    for name, each in FRESH.items():
        assert "ours" in each.engines, name
        assert each.times % 2, "a median needs an odd number"
