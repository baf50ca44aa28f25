"""Answers on the wire: what arrives is what was sent, or a Foreign; a broken rule is an error."""

import struct
import sys
from pathlib import Path

import numpy as np
import pytest

import course.grading.inside
from course.checking.evaluate import same_answer
from course.checking.exercise import Case, compare
from course.grading.frames import Foreign, ProtocolError, answer_of, pack, pack_case, unpack
from course.grading.inside.values import decode, encode


def sent(value):
    kind, shape, data = encode(value, np)
    header = {"keys": ["v"], "types": [kind], "shapes": [shape], "sizes": [len(data)]}
    return answer_of(header, data)["v"]


@pytest.mark.parametrize(
    "value",
    [1.5, -0.0, 3, -(2**70), True, "text \u202e", 1 + 2j, np.float64(2.5), np.int32(4), np.bool_(True),
     np.arange(6.0).reshape(2, 3), np.zeros((0, 3)), np.array(7.0), np.arange(3, dtype="<i2"),
     np.asfortranarray(np.arange(6).reshape(2, 3)), np.array([np.nan, np.inf]), np.array([True, False])],
)  # fmt: skip
def test_plain_values_arrive_as_they_were(value):
    got = sent(value)
    assert type(got) is type(value)
    assert same_answer({"v": got}, {"v": value})
    assert np.shape(got) == np.shape(value)


def repr_of(value):
    return type(value).__name__


class Sub(np.ndarray):
    pass


class Number(float):
    pass


@pytest.mark.parametrize(
    "value",
    [None, [1.0], {"a": 1}, object(), Number(1.0), np.arange(3.0).view(Sub), np.array([1, "a"], dtype=object),
     np.float16(1), np.longdouble(1), np.array("a"), 1 << 9000],
    ids=repr_of,
)  # fmt: skip
def test_anything_else_is_foreign_and_fails_by_its_kind(value):
    got = sent(value)
    assert isinstance(got, Foreign)
    assert same_answer({"v": got}, {"v": sent(value)})
    assert compare("forward", got, 1.0, "v").status == "wrong_dtype"


def test_a_case_arrives_as_it_was():
    data = {"x": 0.1, "many": np.arange(4.0), "list": [1, (2, 3)], "dict": {"a": {1: "b"}},
            "n": np.float64(2), "none": None, "z": 1j, "nan": float("nan")}  # fmt: skip
    told, buffers = pack_case(Case("name", ("forward",), data))
    header, rest = unpack(
        pack(
            {
                "id": 1,
                "kind": "x",
            },
            buffers,
        )[4:]
    )
    assert header == {"id": 1, "kind": "x"}
    parts, start = [], 0
    for size in told["sizes"]:
        parts.append(rest[start : start + size])
        start += size
    got = decode(told["data"], parts, np)
    assert got.keys() == data.keys()
    assert np.array_equal(got["many"], data["many"])
    assert [got[k] for k in ("x", "list", "dict", "n", "none", "z")] == [
        data[k] for k in ("x", "list", "dict", "n", "none", "z")
    ]
    with pytest.raises(TypeError, match="got object"):
        pack_case(Case("name", ("forward",), {"x": object()}))


@pytest.mark.parametrize(
    "body",
    [b"", b"\1\0\0\0", struct.pack("<I", 9) + b"{}", struct.pack("<I", 2) + b"[]",
     struct.pack("<I", 2) + b"{}",
     pack({"id": 1, "kind": "answer", "keys": [["deep"]]})[4:], pack({"id": "1", "kind": "answer"})[4:],
     pack({"id": True, "kind": "answer"})[4:], pack({"id": 1, "kind": "x", "a": None})[4:]],
)  # fmt: skip
def test_a_frame_that_follows_no_rule(body):
    with pytest.raises(ProtocolError):
        unpack(body)


@pytest.mark.parametrize(
    ("columns", "data"),
    [
        ({}, b""),
        ({"keys": ["a"], "types": ["float"], "shapes": [""], "sizes": []}, b""),
        ({"keys": ["a"], "types": ["float"], "shapes": [""], "sizes": [8]}, b"\0" * 7),
        ({"keys": ["a"], "types": ["float"], "shapes": [""], "sizes": [8]}, b"\0" * 9),
        ({"keys": ["a"], "types": ["float"], "shapes": [""], "sizes": [4]}, b"\0" * 4),
        ({"keys": ["a"], "types": ["float"], "shapes": [""], "sizes": [-8]}, b""),
        ({"keys": ["a"], "types": ["O8"], "shapes": ["1"], "sizes": [8]}, b"\0" * 8),
        ({"keys": ["a"], "types": ["f8"], "shapes": ["-1"], "sizes": [8]}, b"\0" * 8),
        ({"keys": ["a"], "types": ["f8"], "shapes": ["2"], "sizes": [8]}, b"\0" * 8),
        ({"keys": ["a"], "types": ["f8"], "shapes": ["9999999999,9999999999"], "sizes": [8]}, b"\0" * 8),
        ({"keys": ["a"], "types": ["b1"], "shapes": ["1"], "sizes": [1]}, b"\7"),
        ({"keys": ["a", "a"], "types": ["bool"] * 2, "shapes": [""] * 2, "sizes": [1] * 2}, b"\0\0"),
        ({"keys": ["a"], "types": ["big"], "shapes": [""], "sizes": [4]}, b"spam"),
    ],
)
def test_an_answer_that_follows_no_rule(columns, data):
    with pytest.raises(ProtocolError):
        answer_of(columns, data)


def test_what_runs_beside_student_code_stands_alone():
    """It's copied into a folder of its own, without the course: the standard library and its own files."""
    for path in Path(str(course.grading.inside.__file__)).parent.glob("*.py"):
        found = {line.split()[1].split(".")[0] for line in imports(path)} - {""}
        assert found <= {*sys.stdlib_module_names}, path.name


def imports(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip().startswith(("import ", "from "))]
