"""Takes submissions in: student folders, a platform's download, a zip of either, one student's work, a file.

Regular files only, with caps; each thing refused is named with its reason, and costs nobody else anything.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Self

from course.grading.layouts import METADATA, Label, Labels, Peek, recognise
from course.grading.limits import Limits
from course.grading.reader import is_document
from course.grading.sources import (
    SKIPPED,
    File,
    Folder,
    RefusedError,
    Source,
    Within,
    Zip,
    clean,
    open_zip,
    same_key,
)

PLAIN, ONE = "a folder per student", "one student's work"
_CLASS_ENTRIES = 50_000
_PEEK = 20 << 20  # of a platform's own files


class IntakeError(ValueError):
    """The folder or zip as a whole can't be taken in."""


@dataclass(frozen=True)
class Submission:
    """One student's files by relative path, and what was refused."""

    student: str
    files: dict[str, bytes]
    notes: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()  # what was refused and could have held an answer

    @property
    def hash(self) -> str:
        """Names and bytes of all files, as hex."""
        digest = hashlib.sha256()
        for name, data in sorted(self.files.items()):
            digest.update(f"{len(name.encode())}:{name}:{len(data)}:".encode())
            digest.update(data)
        for note in (*self.notes, *self.unreadable):
            digest.update(f"note:{note}".encode("utf-8", "surrogatepass"))
        return digest.hexdigest()


@dataclass(frozen=True)
class Place:
    """Where a student's work is: entries of a source, each with the name that the file had at home."""

    student: str
    source: Source = field(repr=False)
    entries: tuple[tuple[str, str], ...]  # entry, name of the file; "" for a folder
    person: str = ""
    received: str = ""  # as the platform says, never from the student's files
    late: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Handed:
    """All that was handed over: what it was recognised as, everybody's place, what was refused."""

    form: str
    places: tuple[Place, ...]
    notes: tuple[str, ...]


class Opened(contextlib.AbstractContextManager["Opened"]):
    """A folder, zip or file, open for reading; use it as a context."""

    def __init__(self, path: Path, limits: Limits) -> None:
        self.path, self.limits = path, limits
        self._context = contextlib.ExitStack()
        self._source, self._refused = self._open()
        try:
            self.handed = self._recognise()
        except BaseException:
            self._context.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *details: object) -> None:
        self._context.close()

    def _open(self) -> tuple[Source, list[str]]:
        path = self.path
        if path.is_dir():
            return Folder(path), []
        if not path.is_file():
            raise IntakeError(
                f"{path} isn't there; give a folder of student folders, a zip of one, or a file"
            )
        if is_document(path.name):
            return Folder(path.parent, path.name), []
        if path.suffix.lower() != ".zip":
            raise IntakeError(
                f"{path.name} is neither a folder, a .zip, a notebook nor a .py; expected "
                "FOLDER/<student>/<notebook>.ipynb, a zip of it, or what a learning platform gives"
            )
        try:
            file = self._context.enter_context(path.open("rb"))
            source = Zip(file, _CLASS_ENTRIES, self.limits.ratio)
        except RefusedError as problem:
            self._context.close()
            raise IntakeError(f"{path}: {problem}") from problem
        self._context.callback(source.close)
        return source, source.refused

    def _recognise(self) -> Handed:
        try:
            source, kinds, form, labels = self._unwrapped()
        except OSError as problem:
            raise IntakeError(f"{self.path} can't be read ({problem.strerror})") from problem
        notes = list(self._refused)
        if labels:
            form = f"a download from {form}"
            places = _labelled(source, labels)
        elif self._is_one(source, kinds):
            form, places = ONE, [self._one(source, kinds)]
        else:
            form, places = PLAIN, []
        if form != ONE:
            places += _plain(source, {e: k for e, k in kinds.items() if e not in labels}, notes)
        if not places:
            raise IntakeError(
                f"{self.path} holds no folder of a student, no zip and no notebook; "
                f"expected {self.path.name}/<student>/<notebook>.ipynb"
            )
        return Handed(form, tuple(_told_apart(places)), tuple(notes))

    def _unwrapped(self) -> tuple[Source, dict[str, str], str, Labels]:
        """The source, or the one folder in it that wraps an export, and what its names say."""
        source: Source = self._source
        kinds = _visible(source)
        form, labels = recognise(kinds, _peeker(source))
        if not labels and list(kinds.values()) == ["folder"]:
            (entry,) = kinds
            inner: Source = Within(source, entry)
            within = _visible(inner)
            form, labels = recognise(within, _peeker(inner))
            named_after = self.path.suffix.lower() == ".zip" and entry == self.path.stem
            if labels or (named_after and within and set(within.values()) == {"folder"}):
                return inner, within, form, labels
        return source, kinds, form, labels

    def _is_one(self, source: Source, kinds: dict[str, str]) -> bool:
        """Whether notebooks stand at the top and in no folder: this is one student's folder itself."""
        if not any(kind == "file" and is_document(entry) for entry, kind in kinds.items()):
            return False
        folders = (entry for entry, kind in kinds.items() if kind == "folder")
        return not any(is_document(file.name) for entry in folders for file in source.below(entry))

    def _one(self, source: Source, kinds: dict[str, str]) -> Place:
        entries = tuple((e, e if kind != "folder" else "") for e, kind in kinds.items())
        student = self.path.stem if self.path.is_file() else self.path.resolve().name
        return Place(_printable(student), source, entries)


def _visible(source: Source) -> dict[str, str]:
    return {e: kind for e, kind in source.top().items() if e not in SKIPPED and not e.startswith(".")}


def _peeker(source: Source) -> Peek:
    def peek(entry: str) -> str:
        for file in source.below(entry):
            with contextlib.suppress(RefusedError):
                return source.read(file, _PEEK).decode("utf-8-sig", "replace")
        return ""

    return peek


def _labelled(source: Source, labels: Labels) -> list[Place]:
    """A place for each student of a platform's download, with the last attempt in it."""
    pairs = [(label, entry) for entry, several in labels.items() for label in several]
    pairs.sort(key=lambda pair: (pair[0].student, pair[0].series, pair[0].attempt, pair[1]))
    places = []
    for student, group in groupby(pairs, key=lambda pair: pair[0].student):
        kept: list[tuple[Label, str]] = []
        notes = []
        for _, series in groupby(group, key=lambda pair: pair[0].series):
            several = list(series)
            last = [pair for pair in several if pair[0].attempt == several[-1][0].attempt]
            kept += last
            attempts = len({label.attempt for label, _ in several})
            if attempts > 1:
                notes.append(f"{attempts} attempts were handed in: the last counts ({last[0][1]})")
        late = {label.late for label, _ in kept}
        places.append(
            Place(
                _printable(student),
                source,
                tuple((entry, label.file) for label, entry in kept),
                _printable(kept[0][0].person) if kept[0][0].person else "",
                max(label.received for label, _ in kept),
                "yes" if "yes" in late else max(late),
                tuple(notes),
            )
        )
    return places


def _plain(source: Source, kinds: dict[str, str], notes: list[str]) -> list[Place]:
    """A place for each folder, and for each zip beside them; anything else stands in no student's folder."""
    places = []
    for entry, kind in kinds.items():
        if kind == "folder":
            places.append(Place(_printable(entry), source, ((entry, ""),)))
        elif kind == "file" and entry.lower().endswith(".zip"):
            places.append(Place(_printable(entry[:-4]), source, ((entry, entry),)))
        elif entry != METADATA:
            why = "it stands in no student's folder" if kind == "file" else "a link, or no regular file"
            notes.append(f"{_printable(entry)} was refused: {why}")
    return places


def _told_apart(places: Sequence[Place]) -> Iterator[Place]:
    """The places with a name each; names that some file system takes for one are noted."""
    counted = Counter(same_key(place.student) for place in places)
    taken: set[str] = set()
    for place in sorted(places, key=lambda one: one.student):
        name = place.student
        while name in taken:
            name += "~"
        taken.add(name)
        if counted[same_key(place.student)] > 1:
            told = "another's name differs in nothing, in case or in the form of its letters only"
            place = replace(place, student=name, notes=(*place.notes, told))
        yield place


def submission(place: Place, limits: Limits) -> Submission:
    """One student's files, read now."""
    basket = _Basket(limits)
    for entry, name in place.entries:
        for file in place.source.below(entry):
            basket.add(place.source, replace(file, name=name or file.name))
            if basket.full:
                break
    files = _without_common_folder(basket.files)
    return Submission(place.student, files, tuple(basket.notes), tuple(basket.unreadable))


class _Basket:
    """The files of a submission so far, within its limits."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.files: dict[str, bytes] = {}
        self.notes: list[str] = []
        self.unreadable: list[str] = []
        self.full = False
        self._total = 0
        self._seen: dict[str, str] = {}

    def add(self, source: Source, file: File, archive: str = "") -> None:
        """Take a file, or what a zip holds; `archive` is the zip that the file stands in."""
        shown = f"{archive}: {file.name}" if archive else file.name
        try:
            if file.fault:
                raise RefusedError(file.fault)
            name = clean(file.name)
            if len(self._seen) >= self.limits.entries:
                self.full = True
                raise RefusedError(f"more than {self.limits.entries} files: the rest was left out from here")
            key = same_key(name)
            if key in self._seen:
                raise RefusedError(
                    f"the name stands twice, or differs in case or form only ({self._seen[key]})"
                )
            self._seen[key] = name
            data = source.read(file, self.limits.total - self._total)
            if name.lower().endswith(".zip"):
                if archive:
                    raise RefusedError("a zip within a zip")
                self._unpack(name, data)
                return
            self._total += len(data)
            self.files[name] = data
            if name != file.name:
                self.notes.append(f"{_printable(shown)} is taken as {name}")
        except RefusedError as problem:
            told = f"{_printable(shown)} was refused: {problem}"
            answer = is_document(file.name) or file.name.lower().endswith(".zip") or self.full
            (self.unreadable if answer else self.notes).append(told)

    def _unpack(self, name: str, data: bytes) -> None:
        folder = name.rpartition("/")[0]
        packed = open_zip(data, 10 * self.limits.entries, self.limits.ratio)
        self.notes += [f"{name}: {told}" for told in packed.refused[:20]]
        for entry in packed.top():
            for file in packed.below(entry):
                path = "/".join(part for part in (folder, entry, file.name) if part)
                self.add(packed, replace(file, name=path), name)
                if self.full:
                    return


def _without_common_folder(files: dict[str, bytes]) -> dict[str, bytes]:
    """The files as seen from their notebook: a folder around all of them is left out."""
    while files and all("/" in name for name in files):
        if len({name.partition("/")[0] for name in files}) > 1:
            break
        files = {name.partition("/")[2]: data for name, data in files.items()}
    return files


def _printable(text: str) -> str:
    """A name in which whatever can't be printed is seen."""
    shown = "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text.strip()
    )
    return shown[:120] or "_"


_DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?")


def safe_name(student: str) -> str:
    """A file name for a student, the same everywhere; two students never share one."""
    plain = re.sub(r"[^\w.@+-]", "_", student, flags=re.ASCII).lstrip(".")[:80]
    if plain == student == student.lower() and not _DEVICE.fullmatch(plain) and not plain.endswith("."):
        return plain
    return f"{plain or '_'}-{hashlib.sha256(student.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
