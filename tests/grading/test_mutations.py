"""Some hundred broken notebooks and zips; tests/grading/mutations.py runs as many as one likes."""

from . import mutations


def test_nothing_broken_breaks_the_intake(tmp_path):
    came = {mutations.try_one(seed, tmp_path) for seed in range(300)}
    assert {"found", "missing", "unreadable", "refused"} <= came
