"""Frames over two descriptors: a question comes in, a reply goes out (the other end is frames.py)."""

from __future__ import annotations

import json
import os
import struct
from typing import Any


class Channel:
    """Frames over two descriptors that are neither stdin nor stdout."""

    def __init__(self, requests: int, replies: int) -> None:
        self._in, self._out = requests, replies
        # Own references: code that replaces os.write or json.dumps later harms only itself.
        self._read, self._write, self._dumps, self._loads = os.read, os.write, json.dumps, json.loads

    def _exactly(self, count: int) -> bytes:
        parts = []
        while count:
            part = self._read(self._in, min(count, 1 << 20))
            if not part:
                os._exit(0)  # the parent has gone, or has no more questions
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    def receive(self) -> tuple[dict[str, Any], list[bytes]]:
        """The next request, and its buffers."""
        body = self._exactly(struct.unpack("<I", self._exactly(4))[0])
        (size,) = struct.unpack("<I", body[:4])
        header = self._loads(body[4 : 4 + size])
        buffers, start = [], 4 + size
        for length in header.get("sizes", ()):
            buffers.append(body[start : start + length])
            start += length
        return header, buffers

    def send(self, header: dict[str, Any], buffers: bytes = b"") -> None:
        """One reply."""
        head = self._dumps(header).encode("ascii")
        frame = struct.pack("<II", 4 + len(head) + len(buffers), len(head)) + head + buffers
        while frame:
            frame = frame[self._write(self._out, frame) :]
