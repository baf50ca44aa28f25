"""Random programs: derivatives against differences, mode against mode. What is drawn, programs.py says."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import autodiff as ad

from .programs import Program, build, findings, random_program


def wrong(program: Program, second: bool) -> list[str]:
    with np.errstate(all="raise", under="ignore"):
        found = list(findings(program, second))
    return [f"{what}: {got!r}, {want!r}\n{program}" for what, got, want in found if what != "undecided"]


@settings(max_examples=100, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_programs_that_shrink(data):
    """Hypothesis makes each decision, so that a failure comes back as a small program."""
    program = build(lambda n: data.draw(st.integers(0, n - 1)))
    assert not wrong(program, second=len(program.steps) % 2 == 0)


@pytest.mark.parametrize("first", range(0, 200, 20))
def test_programs_by_seed(first):
    for seed in range(first, first + 20):
        assert not wrong(random_program(seed), second=seed % 3 == 0)


def test_programs_are_worth_it():
    """They are of some length, nearly all can be decided, and a seed always gives the same one."""
    programs = [random_program(seed) for seed in range(100)]
    assert sum(len(program.steps) for program in programs) > 700
    names = {step.name.split()[0] for program in programs for step in program.steps}
    assert len(names) > 40
    undecided = [p for p in programs if any(what == "undecided" for what, _, _ in findings(p))]
    assert len(undecided) < 5
    assert str(random_program(7)) == str(random_program(7))
    x = random_program(7)
    assert x(*x.inputs) == random_program(7)(*x.inputs)


def test_a_wrong_derivative_is_found():
    off = ad.elementwise("off", "?", lambda a: np.sin(a) * 1.0, a=lambda g, a: g * ad.sin(a))

    class Bent(Program):
        def __call__(self, *inputs):
            return off(super().__call__(*inputs))

    for seed in range(10):
        program = random_program(seed)
        found = findings(Bent(program.inputs, program.steps, program.weights))
        assert any(what == "reverse mode, differences" for what, _, _ in found)
