"""What was handed over, a folder or a zip, as names and bytes. Nothing is unpacked to disk, no link followed.

Every file comes with a name that is the same on every system, or with the reason why it isn't taken.
"""

from __future__ import annotations

import io
import os
import re
import stat
import unicodedata
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Protocol

SKIPPED = frozenset({".ipynb_checkpoints", "__pycache__", "__MACOSX", ".git", ".DS_Store", "Thumbs.db"})
_DEEPEST, _LONGEST, _CROWDED = 5, 240, 10_000
_RECORD = 256  # bytes of a zip's directory for one entry, long names included
_BLOCK = 1 << 16
_FORBIDDEN = re.compile(r'[<>:"|?*]')
_RESERVED = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])\s*(\..*)?", re.I | re.S)


class RefusedError(ValueError):
    """A file isn't taken; the message is the reason."""


@dataclass(frozen=True)
class File:
    """A file of a source: its name, where it really is, and why it isn't taken, if it isn't."""

    name: str  # below the entry that it was asked for; "" for a file that is the entry itself
    origin: Path | zipfile.ZipInfo
    fault: str = ""


class Source(Protocol):
    """Entries at the top, the files below each, and their bytes."""

    def top(self) -> dict[str, str]:
        """Name and kind of each entry: folder, file or other."""

    def below(self, entry: str) -> Iterator[File]:
        """The files of an entry, by name."""

    def read(self, file: File, limit: int) -> bytes:
        """A file's bytes; RefusedError where there are more than `limit`, or none to be had."""


def clean(name: str) -> str:
    """A relative path that every system takes; RefusedError where it leads elsewhere or is reserved."""
    parts = unicodedata.normalize("NFC", name.replace("\\", "/")).split("/")
    if any(part in ("", ".", "..") for part in parts) or re.match(r"[A-Za-z]:", name) or "\0" in name:
        raise RefusedError("its name leads out of its folder")
    if len(name) > _LONGEST:
        raise RefusedError(f"its name is longer than {_LONGEST} characters")
    if len(parts) > _DEEPEST:
        raise RefusedError(f"it stands more than {_DEEPEST - 1} folders deep")
    if any(_RESERVED.fullmatch(part) for part in parts):
        raise RefusedError("Windows keeps its name for a device; rename it")
    parts = ["".join(c if c.isprintable() else "_" for c in _FORBIDDEN.sub("_", part)) for part in parts]
    return "/".join(re.sub(r"[. ]+$", "_", part) for part in parts)


def same_key(name: str) -> str:
    """Equal for names that some file system takes for one."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


class Folder:
    """A folder on disk, or one file in it."""

    def __init__(self, path: Path, only: str = "") -> None:
        self.path, self.only = path, only

    def top(self) -> dict[str, str]:
        """Name and kind of each entry."""
        if self.only:
            return {self.only: "file"}
        with os.scandir(self.path) as entries:
            return {e.name: _kind(e) for e in sorted(entries, key=_by_name) if e.name not in SKIPPED}

    def below(self, entry: str) -> Iterator[File]:
        """The files of an entry; folders that can't be listed count as refused files."""
        path = self.path / entry
        if path.is_symlink():
            yield File("", path, "it is a link; hand in the file itself")
        elif path.is_dir():
            yield from _walk(path, "")
        else:
            yield File("", path)

    def read(self, file: File, limit: int) -> bytes:
        """A regular file's bytes."""
        if not isinstance(file.origin, Path):
            raise TypeError(f"a folder can't read {file.origin!r}")
        # Whatever the path was a moment ago: a link isn't followed, a pipe doesn't block.
        flags = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        try:
            with open(os.open(file.origin, os.O_RDONLY | flags), "rb") as opened:
                status = os.fstat(opened.fileno())
                if not stat.S_ISREG(status.st_mode):
                    raise RefusedError("it is no regular file")
                if status.st_nlink > 1:  # whose file it is can't be told
                    raise RefusedError("it is a hard link; hand in a copy")
                return _capped(opened, limit)
        except OSError as problem:
            raise RefusedError(f"it can't be read ({problem.strerror})") from problem


def _walk(folder: Path, prefix: str) -> Iterator[File]:
    try:
        with os.scandir(folder) as found:
            entries = sorted(islice(found, _CROWDED + 1), key=_by_name)
    except OSError as problem:
        yield File(prefix.rstrip("/"), folder, f"the folder can't be read ({problem.strerror})")
        return
    if len(entries) > _CROWDED:
        yield File(prefix.rstrip("/"), folder, f"the folder holds more than {_CROWDED} entries")
        return
    for entry in entries:
        name, path = prefix + entry.name, Path(entry.path)
        if entry.name in SKIPPED:
            continue
        if entry.is_symlink():
            yield File(name, path, "it is a link; hand in the file itself")
        elif not entry.is_dir(follow_symlinks=False):
            yield File(name, path)
        elif name.count("/") + 1 < _DEEPEST:
            yield from _walk(path, name + "/")
        else:
            yield File(name, path, f"folders more than {_DEEPEST - 1} deep are left out")


def _by_name(entry: os.DirEntry[str]) -> str:
    return entry.name


def _kind(entry: os.DirEntry[str]) -> str:
    if entry.is_symlink():
        return "other"
    return "folder" if entry.is_dir() else "file" if entry.is_file() else "other"


class Zip:
    """A zip, read where it stands; `entries` caps its directory before it is parsed."""

    def __init__(self, file: IO[bytes], entries: int, ratio: int) -> None:
        self._ratio = ratio
        self._files: dict[str, list[File]] = {}
        self._kinds: dict[str, str] = {}
        self.refused: list[str] = []
        try:
            self._zip = zipfile.ZipFile(_Bounded(file, entries * _RECORD + _BLOCK))
        except RefusedError:
            raise
        except Exception as problem:  # damaged directories raise nearly anything
            raise RefusedError(f"it is no zip that can be read ({str(problem)[:100]})") from problem
        infos = self._zip.infolist()
        if len(infos) > entries:
            raise RefusedError(f"it has {len(infos)} entries; at most {entries} are taken")
        for info in infos:
            self._add(info)

    def _add(self, info: zipfile.ZipInfo) -> None:
        name = info.orig_filename.replace("\\", "/")
        parts = name.split("/")
        if SKIPPED & set(parts):
            return
        try:
            clean(name.rstrip("/"))
        except RefusedError as problem:
            if parts[0] in ("", ".", "..") or len(parts) < 2 or "\0" in name or ".." in parts:
                self.refused.append(f"{name[:120]!r} was refused: {problem}")
                return
        if info.is_dir() or name.endswith("/"):
            self._kinds[parts[0]] = "folder"
            return
        self._kinds.setdefault(parts[0], "file" if len(parts) == 1 else "folder")
        self._files.setdefault(parts[0], []).append(File("/".join(parts[1:]), info, self._fault(info)))

    def _fault(self, info: zipfile.ZipInfo) -> str:
        if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG):
            return "it is no regular file"
        if info.flag_bits & 1:
            return "it is encrypted"
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            return "it is packed by a method other than deflate"
        if info.file_size > self._ratio * max(info.compress_size, 1) + 4096:
            return f"it unpacks to more than {self._ratio} times its size"
        return ""

    def top(self) -> dict[str, str]:
        """Name and kind of each entry."""
        return dict(sorted(self._kinds.items()))

    def below(self, entry: str) -> Iterator[File]:
        """The files of an entry."""
        return iter(sorted(self._files.get(entry, []), key=lambda file: file.name))

    def read(self, file: File, limit: int) -> bytes:
        """A file's bytes, counted while they come: what the directory says of them may be a lie."""
        if not isinstance(file.origin, zipfile.ZipInfo):
            raise TypeError(f"a zip can't read {file.origin!r}")
        try:
            with self._zip.open(file.origin) as opened:
                return _capped(opened, limit)
        except RefusedError:
            raise
        except Exception as problem:  # zipfile and zlib have errors of their own
            raise RefusedError(f"it can't be unpacked ({str(problem)[:100]})") from problem

    def close(self) -> None:
        """Let go of the file."""
        self._zip.close()


class Within:
    """One folder of a source, as a source: exports are often wrapped in a folder."""

    def __init__(self, source: Source, folder: str) -> None:
        self._source = source
        self._files: dict[str, list[File]] = {}
        self._kinds: dict[str, str] = {}
        for file in source.below(folder):
            entry, _, rest = file.name.partition("/")
            plain = "other" if file.fault.startswith("it is a link") else "file"
            self._kinds.setdefault(entry, "folder" if rest else plain)
            self._files.setdefault(entry, []).append(File(rest, file.origin, file.fault))

    def top(self) -> dict[str, str]:
        """Name and kind of each entry."""
        return dict(sorted(self._kinds.items()))

    def below(self, entry: str) -> Iterator[File]:
        """The files of an entry."""
        return iter(self._files.get(entry, []))

    def read(self, file: File, limit: int) -> bytes:
        """A file's bytes."""
        return self._source.read(file, limit)


def open_zip(data: bytes, entries: int, ratio: int) -> Zip:
    """A zip that was handed in as a file of a submission."""
    return Zip(io.BytesIO(data), entries, ratio)


class _Bounded:
    """A file of which nobody reads more than `limit` bytes at once: zipfile reads a directory whole."""

    def __init__(self, file: IO[bytes], limit: int) -> None:
        self._file, self._limit = file, limit
        self.seek, self.tell, self.close, self.seekable = file.seek, file.tell, file.close, file.seekable

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(self._limit + 1 if size < 0 else min(size, self._limit + 1))
        if len(data) > self._limit:
            raise RefusedError("its directory is too large: too many entries, or names too long")
        return data


def _capped(file: IO[bytes], limit: int) -> bytes:
    parts, size = [], 0
    while block := file.read(min(_BLOCK, limit - size + 1)):
        size += len(block)
        if size > limit:
            raise RefusedError(f"more than {limit} bytes")
        parts.append(block)
    return b"".join(parts)
