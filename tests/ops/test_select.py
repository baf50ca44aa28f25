"""Indexing in all of NumPy's ways, and what finds its key: values, gradients, policies, refusals."""

import numpy as np
import pytest

import autodiff as ad
from autodiff.errors import OperandError, ShapeError, UnsupportedError

from . import harness
from .harness import case, real


def at(*shape, key):
    """x[key], as a line of the table."""
    return case("index", real(*shape), key=key, reference=lambda a, key: a[key])


MASK = np.array([True, False, True])
GRID = np.array([[True, False, True, False], [False, False, False, True], [True, True, False, False]])

KEYS = {
    (): [(), None, Ellipsis, True, False, (None, ...), np.array(True)],
    (0,): [slice(None), [], slice(None, None, -1), np.zeros(0, bool), None],
    (1,): [0, -1, [0, 0, 0], slice(0, 0), True],
    (5,): [2, -1, np.int64(3), slice(1, 4), slice(None, None, -2), slice(10, 20), [], [4, 0, 4, 4]],
    (4,): [np.array([[0, 1], [1, 1]]), np.array(2), np.uint8([3, 3]), range(2), (..., 1), (None, [1, 1])],
    (3, 4): [
        1,
        (1, 2),
        (slice(None), 2),
        (..., -1),
        (None, slice(2), None),
        (slice(None, None, -1), slice(3, None, -2)),
        [2, 0, 2],
        (slice(None), [1, 1, 3]),
        ([0, 1, 1], [2, 3, 3]),
        ((0, 0), slice(1, 3)),
        np.ix_([0, 2], [1, 1]),
        MASK,
        GRID,
        (MASK, 1),
        (MASK, [0, 0]),
        (slice(None), GRID[0]),
        ~GRID & GRID,
        ([[0], [1]], [0, 0, 3]),
        (),
        (0, ..., 0),
    ],
    (2, 3, 4): [
        GRID[:2, :3],
        (0, MASK),
        (slice(None), [1, 1]),
        ([0, 1], slice(None), [1, 3]),
        (0, slice(None), [1, 1]),
        (..., None, [0, 0]),
        (slice(None), MASK, None, 2),
        (1, [[0, 2], [2, 2]], slice(None, None, 2)),
    ],
}

CASES = [
    *(at(*shape, key=key) for shape, keys in KEYS.items() for key in keys),
    case("scatter", real(3), key=[0, 4, 4], like=np.zeros(5), reference=False),
    case("scatter", real(), key=1, like=np.zeros(2), reference=False),
    case("scatter", real(2, 3), key=slice(1, 3), like=np.zeros((4, 3)), reference=False),
    case("take", real(5), [0, -1, 0]),
    case("take", real(5), 3),
    case("take", real(), [0, 0]),
    case("take", real(0, 2), [], axis=0),
    case("take", real(3, 4), [[0, 11], [5, 5]]),
    case("take", real(3, 4), [True, False], axis=1),
    case("take", real(3, 4), [1, 1, 0], axis=0),
    case("take", real(3, 4), 2, axis=-1),
    case("take", real(3, 4), [-9, 7, 1], axis=1, mode="clip"),
    case("take", real(3, 4), [-9, 7, 1], axis=1, mode="wrap"),
    case("take_along_axis", real(3, 4), np.array([[0, 0], [3, 1], [2, 2]]), axis=1),
    case("take_along_axis", real(3, 4), np.array([[-1, 0, 0, 2]]), axis=0),
    case("take_along_axis", real(3, 4), np.array([[1]]), axis=-1),
    case("take_along_axis", real(1, 2), np.array([[1, 0], [0, 0]]), axis=1),
    case("take_along_axis", real(3, 4), np.array([3, 3, 11]), axis=None),
    case("take_along_axis", real(0, 4), np.zeros((0, 1), int), axis=1),
    case("compress", [True, False, True], real(3, 4), axis=0),
    case("compress", [False, True], real(3, 4), axis=-1),
    case("compress", [False, True, True], real(2, 2)),
    case("compress", [], real(2)),
    case("extract", GRID, real(3, 4)),
    case("extract", [[True], [False]], real(2, 1)),
    case("extract", True, real()),
    case("select", [MASK, ~MASK], [real(3), real(2, 3)]),
    case("select", [MASK, np.array([True, True, False])], [real(3), real()], real(2, 3)),
    case("select", [MASK], [real(3)], 7.0),
    case("select", [np.array(True)], [real()]),
    case("select", [np.zeros((0,), bool)], [real(0)], 1.0),
    case("choose", [1, 0, 2], [real(3), real(3), real(3)]),
    case("choose", [[1], [0]], [real(), real(3)]),
    case("choose", np.array([-1, 5, 0]), [real(3), real(3)], mode="clip"),
    case("choose", np.array([-1, 5, 0]), [real(3), real(3)], mode="wrap"),
    case("choose", 1, [real(), real()]),
]


@pytest.mark.parametrize(("it", "check"), harness.questions(CASES))
def test_operation(it, check):
    harness.ask(it, check)
