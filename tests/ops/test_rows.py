"""Every elementwise row, unasked: a new row in ops/ is tested here without a line."""

import pytest

from . import harness

CASES = harness.cases_of_rows()


@pytest.mark.parametrize(("it", "check"), harness.questions(CASES))
def test_row(it, check):
    harness.ask(it, check)
