"""The parent's end of the protocol: requests are written here, replies read without trust.

A frame is a u32 length, a u32 header length, a JSON header and raw little-endian buffers. A reply's header
is flat: numbers, strings, lists of those. Arrays are rebuilt from bytes; nothing that a child sends is run.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

from course.checking.exercise import Case

HEADER_LIMIT, KEYS_LIMIT = 1 << 18, 2000
_DTYPES = {"b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "c8", "c16"}
_FIXED = {"bool": "<?", "int": "<q", "float": "<d", "complex": "<dd"}


class ProtocolError(ValueError):
    """A reply that follows no rule."""


class Foreign(str):
    """Stands for a value that is no number, string or array: its type's name.

    A string, so that every judge takes it for a value of the wrong kind and equals go on being equal.
    """

    __slots__ = ()


def pack(header: Mapping[str, Any], buffers: bytes = b"") -> bytes:
    """A frame."""
    head = json.dumps(header).encode("ascii")
    return struct.pack("<II", 4 + len(head) + len(buffers), len(head)) + head + buffers


def pack_case(case: Case) -> tuple[dict[str, Any], bytes]:
    """A case as header entries and buffers. TypeError for what is no plain data."""
    buffers: list[bytes] = []
    tree = _tree(dict(case.data), buffers)
    told = {"case": case.name, "families": list(case.families), "data": tree}
    return {**told, "sizes": [len(b) for b in buffers]}, b"".join(buffers)


def pack_value(value: Any) -> tuple[dict[str, Any], bytes]:
    """What a child is told when it asks: a number or an array."""
    buffers: list[bytes] = []
    tree = _tree(value, buffers)
    return {"value": tree, "sizes": [len(b) for b in buffers]}, b"".join(buffers)


def _tree(value: Any, buffers: list[bytes]) -> Any:
    if value is None or type(value) in (bool, int, float, str):
        return value
    if type(value) is complex:
        return ["complex", value.real, value.imag]
    if isinstance(value, (list, tuple)):
        return ["list" if isinstance(value, list) else "tuple", *(_tree(one, buffers) for one in value)]
    if isinstance(value, Mapping):
        return ["dict", *([_tree(k, buffers), _tree(v, buffers)] for k, v in value.items())]
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "biufc":
        buffers.append(np.ascontiguousarray(value).astype(value.dtype.newbyteorder("<")).tobytes())
        kind = "array" if isinstance(value, np.ndarray) else "scalar"
        return [kind, value.dtype.newbyteorder("<").str, list(value.shape), len(buffers) - 1]
    raise TypeError(
        f"a case holds numbers, strings, arrays, lists and dictionaries; got {type(value).__name__}"
    )


def unpack(body: bytes) -> tuple[dict[str, Any], bytes]:
    """Header and buffers of a reply's body; ProtocolError for anything but a flat header."""
    if len(body) < 4:
        raise ProtocolError("a frame too short for its header")
    (size,) = struct.unpack("<I", body[:4])
    if size > min(HEADER_LIMIT, len(body) - 4):
        raise ProtocolError(f"a header of {size} bytes")
    try:
        header = json.loads(body[4 : 4 + size])
    except (ValueError, RecursionError) as problem:
        raise ProtocolError("a header that is no JSON") from problem
    if not isinstance(header, dict) or not all(_flat(value) for value in header.values()):
        raise ProtocolError("a header that isn't flat")
    if type(header.get("id")) is not int or type(header.get("kind")) is not str:
        raise ProtocolError("a header without id and kind")
    return header, body[4 + size :]


def _flat(value: Any) -> bool:
    if isinstance(value, list):
        kinds = {type(one) for one in value}
        return len(value) <= KEYS_LIMIT and kinds in (set(), {int}, {str})
    return type(value) in (int, str)


def answer_of(header: Mapping[str, Any], buffers: bytes) -> dict[str, Any]:
    """The flat answer in a reply."""
    columns = [header.get(name) for name in ("keys", "types", "shapes", "sizes")]
    if not all(isinstance(column, list) for column in columns) or len({len(c or []) for c in columns}) != 1:
        raise ProtocolError("an answer without its columns")
    answer: dict[str, Any] = {}
    start = 0
    for key, kind, shape, size in zip(*columns, strict=True):
        if type(size) is not int or size < 0 or not all(type(t) is str for t in (key, kind, shape)):
            raise ProtocolError("an answer with odd columns")
        if start + size > len(buffers) or key in answer:
            raise ProtocolError("an answer whose sizes or names don't agree")
        answer[key] = _value(kind, shape, buffers[start : start + size])
        start += size
    if start != len(buffers):
        raise ProtocolError("an answer with bytes left over")
    return answer


def _value(kind: str, shape: str, data: bytes) -> Any:
    if kind in _FIXED:
        if len(data) != struct.calcsize(_FIXED[kind]):
            raise ProtocolError(f"a {kind} of {len(data)} bytes")
        values = struct.unpack(_FIXED[kind], data)
        return complex(*values) if kind == "complex" else values[0]
    if kind in ("str", "other"):
        text = data[:40_000].decode("utf-8", "replace")
        return text if kind == "str" else Foreign(f"something of type {text[:100]}")
    if kind == "big":
        if not re.fullmatch(rb"-?0x[0-9a-f]{1,2049}", data):
            raise ProtocolError("a whole number that can't be read")
        return int(data, 16)
    if kind in _DTYPES:
        return _array(kind, shape, data)
    raise ProtocolError(f"a value of the unknown type {kind[:30]!r}")


def _array(kind: str, shape: str, data: bytes) -> Any:
    dtype = np.dtype("<" + kind)
    if not re.fullmatch(r"scalar||\d{1,10}(,\d{1,10}){0,31}", shape):
        raise ProtocolError("an array without a shape")
    sizes = [int(n) for n in shape.split(",")] if shape not in ("scalar", "") else []
    count = 1
    for n in sizes:
        count *= n
    if count * dtype.itemsize != len(data):
        raise ProtocolError("an array whose bytes and shape don't agree")
    if kind == "b1" and data.strip(b"\0\1"):
        raise ProtocolError("a bool that is neither 0 nor 1")
    array = np.frombuffer(data, dtype=dtype).reshape(sizes)
    return array[()] if shape == "scalar" else array
