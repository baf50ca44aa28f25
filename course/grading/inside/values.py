"""Plain data in both directions: a case's tree of numbers and arrays, the flat values of an answer."""

from __future__ import annotations

import struct
from typing import Any

_INT64 = 1 << 63
_KINDS = {"b": (1,), "i": (1, 2, 4, 8), "u": (1, 2, 4, 8), "f": (4, 8), "c": (8, 16)}


def decode(tree: Any, buffers: list[bytes], numpy: Any) -> Any:
    """A case's data, as frames.py wrote it."""
    if not isinstance(tree, list):
        return tree
    kind, *rest = tree
    if kind == "list":
        return [decode(one, buffers, numpy) for one in rest]
    if kind == "tuple":
        return tuple(decode(one, buffers, numpy) for one in rest)
    if kind == "dict":
        return {decode(k, buffers, numpy): decode(v, buffers, numpy) for k, v in rest}
    if kind == "complex":
        return complex(*rest)
    dtype, shape, place = rest
    array = numpy.frombuffer(buffers[place], dtype=dtype).reshape(shape).copy()
    return array[()] if kind == "scalar" else array


def encode(value: Any, numpy: Any) -> tuple[str, str, bytes]:
    """A value of an answer as type, shape, bytes. Exact types only: a subclass may lie about itself."""
    kind = type(value)
    if kind is bool:
        return "bool", "", struct.pack("<?", value)
    if kind is int and -_INT64 <= value < _INT64:
        return "int", "", struct.pack("<q", value)
    if kind is int and value.bit_length() <= 8192:
        return "big", "", hex(value).encode("ascii")
    if kind is float:
        return "float", "", struct.pack("<d", value)
    if kind is complex:
        return "complex", "", struct.pack("<dd", value.real, value.imag)
    if kind is str:
        return "str", "", value[:10_000].encode("utf-8", "backslashreplace")
    if kind is numpy.ndarray or (issubclass(kind, numpy.generic) and kind.__module__ == "numpy"):
        array = numpy.asarray(value)
        if array.dtype.itemsize in _KINDS.get(array.dtype.kind, ()):
            little = numpy.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"))
            dtype = f"{array.dtype.kind}{array.dtype.itemsize}"
            shape = ",".join(map(str, array.shape)) if kind is numpy.ndarray else "scalar"
            return dtype, shape, little.tobytes()
        return "other", "", f"array of {array.dtype}"[:100].encode("ascii", "replace")
    return "other", "", str(kind.__name__)[:100].encode("utf-8", "replace")


def columns(answer: dict[str, Any], numpy: Any) -> tuple[dict[str, Any], bytes]:
    """An answer as the columns of a header, and its buffers end to end."""
    coded = [encode(value, numpy) for value in answer.values()]
    kinds, shapes, sizes = ([c[0] for c in coded], [c[1] for c in coded], [len(c[2]) for c in coded])
    header = {"keys": list(answer), "types": kinds, "shapes": shapes, "sizes": sizes}
    return header, b"".join(c[2] for c in coded)
