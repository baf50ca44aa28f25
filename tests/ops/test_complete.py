"""Every operation stands in a table of cases, and there are enough of them."""

import importlib
from pathlib import Path

from autodiff.ops import FUNCTIONS, values
from autodiff.primitive import TABLE

from . import harness

FILES = sorted(set(Path(__file__).parent.glob("test_*.py")) - {Path(__file__)})
TABLES = {
    path.stem: importlib.import_module(f".{path.stem}", __package__)
    for path in FILES
    if "CASES =" in path.read_text(encoding="utf-8")
}
CASES = [it for module in TABLES.values() for it in module.CASES]
OURS = {
    name
    for name, function in FUNCTIONS.items()
    if function.__module__.startswith("autodiff.ops.") and function.__module__ != values.__name__
}


def test_every_operation_has_a_case():
    asked = {FUNCTIONS[it.name] for it in CASES}  # a second name is the same function
    missing = {name for name in OURS if FUNCTIONS[name] not in asked}
    assert not missing, f"no case in any table of tests/ops: {', '.join(sorted(missing))}"


def test_every_case_names_an_operation():
    assert {it.name for it in CASES} <= set(FUNCTIONS)


def test_at_least_110_operations_are_tested_to_second_order():
    assert len({it.name for it in CASES if it.order >= 2}) >= 110


def test_every_elementwise_row_is_tested_unasked():
    told = {it.name for it in harness.cases_of_rows()}
    assert told == {
        row.name for row in TABLE.values() if row.kind == "elementwise" and not row.options and row.is_ours
    }
