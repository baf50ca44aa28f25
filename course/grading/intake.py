"""Takes submissions in: FOLDER/<student>/…, or a zip of such folders. Regular files only, with caps.

Links are refused, never followed; from a zip nothing is written anywhere but into its own folder.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import unicodedata
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from course.grading.limits import Limits

_SKIPPED = {".ipynb_checkpoints", "__pycache__", "__MACOSX", ".git"}
_CLASS_ENTRIES, _CLASS_BYTES, _PATH_LENGTH = 100_000, 2 << 30, 240


class IntakeError(ValueError):
    """The folder or zip as a whole can't be taken in."""


@dataclass(frozen=True)
class Submission:
    """One student's files by relative path, and what was refused."""

    student: str
    files: dict[str, bytes]
    notes: tuple[str, ...]

    @property
    def hash(self) -> str:
        """Names and bytes of all files, as hex."""
        digest = hashlib.sha256()
        for name, data in sorted(self.files.items()):
            digest.update(f"{len(name.encode())}:{name}:{len(data)}:".encode())
            digest.update(data)
        for note in self.notes:
            digest.update(f"note:{note}".encode())
        return digest.hexdigest()


def students(folder: Path) -> list[str]:
    """The students' folders by name; IntakeError if there is none."""
    try:
        found = sorted(e.name for e in os.scandir(folder) if e.is_dir(follow_symlinks=False))
    except OSError as problem:
        raise IntakeError(f"{folder} can't be read ({problem.strerror}); give a folder or a zip") from problem
    found = [name for name in found if not name.startswith(".") and name not in _SKIPPED]
    if not found:
        raise IntakeError(f"{folder} holds no folder; expected {folder.name}/<student>/<notebook>.ipynb")
    return found


def submission(folder: Path, student: str, limits: Limits) -> Submission:
    """One student's files, read now."""
    files: dict[str, bytes] = {}
    notes: list[str] = []
    total = 0
    for path, name in _walk(folder / student, "", notes):
        if len(files) >= limits.entries:
            notes.append(f"more than {limits.entries} files: the rest was left out, from {name}")
            break
        data = _read(path, limits.total - total + 1)
        if data is None:
            notes.append(f"{name} was refused: it is no regular file, or can't be read")
        elif total + len(data) > limits.total:
            notes.append(f"{name} was left out: more than {limits.total} bytes in all")
        else:
            files[name] = data
            total += len(data)
    return Submission(student, files, tuple(notes))


def _walk(folder: Path, prefix: str, notes: list[str], depth: int = 0) -> Iterator[tuple[Path, str]]:
    try:
        entries = sorted(os.scandir(folder), key=lambda e: e.name)
    except OSError as problem:
        notes.append(f"{prefix or 'the folder'} can't be read: {problem.strerror}")
        return
    for entry in entries:
        name = prefix + entry.name
        if entry.name in _SKIPPED:
            continue
        if entry.is_symlink():
            notes.append(f"{name} was refused: a link; hand in the file itself")
        elif entry.is_dir(follow_symlinks=False):
            if depth < 4:
                yield from _walk(Path(entry.path), name + "/", notes, depth + 1)
            else:
                notes.append(f"{name} was left out: folders within folders, more than four deep")
        else:
            yield Path(entry.path), name


def _read(path: Path, limit: int) -> bytes | None:
    """At most `limit` bytes of a regular file; None for anything else (a pipe would block for ever)."""
    try:
        flags = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        with open(os.open(path, os.O_RDONLY | flags), "rb") as file:
            status = os.fstat(file.fileno())
            # A second hard link is another file's name: whose it is can't be told.
            if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
                return None
            return file.read(limit)
    except OSError:
        return None


def unpack(archive: Path, target: Path, limits: Limits) -> list[str]:
    """Unpack a zip of student folders into `target`; returns what was refused."""
    notes: list[str] = []
    entries: dict[str, int] = {}
    sizes: dict[str, int] = {}
    seen: set[str] = set()
    try:
        with zipfile.ZipFile(archive) as packed:
            infos = packed.infolist()
            if len(infos) > _CLASS_ENTRIES:
                raise IntakeError(
                    f"{archive.name} has {len(infos)} entries; at most {_CLASS_ENTRIES} are taken"
                )
            for info in infos:
                if info.is_dir():
                    continue
                fault = _fault(info, seen, limits)
                student = info.filename.split("/")[0]
                entries[student] = entries.get(student, 0) + 1
                if not fault and entries[student] > limits.entries:
                    fault = f"more than {limits.entries} files of one student"
                if not fault:
                    room = min(limits.total - sizes.get(student, 0), _CLASS_BYTES - sum(sizes.values()))
                    written, fault = _unpack_one(packed, info, target / Path(info.filename), room)
                    sizes[student] = sizes.get(student, 0) + written
                if fault:
                    notes.append(f"{info.filename[:120]!r} in {archive.name} was refused: {fault}")
    except (zipfile.BadZipFile, OSError, NotImplementedError) as problem:
        raise IntakeError(f"{archive} is no zip that can be read: {problem}") from problem
    return notes


def _fault(info: zipfile.ZipInfo, seen: set[str], limits: Limits) -> str:
    """Why an entry isn't taken; "" if it is."""
    raw = info.orig_filename
    parts = raw.split("/")
    key = unicodedata.normalize("NFC", raw).casefold()
    mode = info.external_attr >> 16
    if (
        "\\" in raw
        or ":" in raw
        or "\0" in raw
        or raw.startswith("/")
        or any(p in ("", ".", "..") for p in parts)
    ):
        return "its name leads out of its folder"
    if len(parts) < 2:
        return "it stands in no student's folder"
    if len(raw) > _PATH_LENGTH or not raw.isprintable():
        return "its name is too long or not printable"
    if mode and stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        return "it is no regular file"
    if key in seen:
        return "the name stands twice (or differs in case only)"
    seen.add(key)
    if info.flag_bits & 1:
        return "it is encrypted"
    if info.file_size > limits.ratio * max(info.compress_size, 1) + 4096:
        return f"it unpacks to more than {limits.ratio} times its size"
    return ""


def _unpack_one(packed: zipfile.ZipFile, info: zipfile.ZipInfo, path: Path, room: int) -> tuple[int, str]:
    written = 0
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with packed.open(info) as source, open(path, "xb") as target:
            while block := source.read(1 << 16):
                if written + len(block) > room:  # counted here: what the header says may be a lie
                    target.close()
                    path.unlink()
                    return 0, "more bytes than a submission may have"
                target.write(block)
                written += len(block)
    except (zipfile.BadZipFile, OSError, EOFError, ValueError, NotImplementedError, RuntimeError) as problem:
        path.unlink(missing_ok=True)
        return 0, f"it can't be unpacked ({str(problem)[:100]})"
    except Exception as problem:  # zlib and lzma have errors of their own
        path.unlink(missing_ok=True)
        return 0, f"it can't be unpacked ({type(problem).__name__})"
    return written, ""


def safe_name(student: str) -> str:
    """A file name for a student, the same everywhere; two students never share one."""
    plain = re.sub(r"[^\w.@+-]", "_", student, flags=re.ASCII).lstrip(".")[:80]
    if plain == student:
        return plain
    return f"{plain or '_'}-{hashlib.sha256(student.encode('utf-8', 'surrogateescape')).hexdigest()[:8]}"
