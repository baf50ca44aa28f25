"""What is handed over, in any form: whose it is, which files, and what was refused with its reason."""

import io
import os
import stat
import zipfile

import pytest

from course.grading import Limits
from course.grading.extract import extract, read_submission
from course.grading.intake import IntakeError, Opened, safe_name, submission
from course.grading.question import Desk

from .conftest import DOUBLE, fill, notebook

TEXT = notebook([("u99-double", DOUBLE)])
OTHER = notebook([("u99-double", "def double(x):\n    return 3 * x\n")])
GRADESCOPE = """---
submission_11:
  :submitters:
  - :name: Ada
    :sid: "s1"
    :email: ada@example.org
  :created_at: 2026-11-30 10:00:00 -0500
submission_12:
  :submitters:
  - :name: Bob
    :email: bob@example.org
  :created_at: 2026-11-29 09:00:00 Z
"""


def packed(files):
    """A zip of {name: text or bytes}."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return made.getvalue()


def lay(folder, files):
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return folder


def taken(path, limits=None):
    """Form, {student: (sorted files, received, late)} of what is at `path`."""
    limits = limits or Limits()
    with Opened(path, limits) as opened:
        handed = opened.handed
        return handed.form, {
            p.student: (sorted(submission(p, limits).files), p.received, p.late) for p in handed.places
        }


# form, files handed over, what is taken of whom
FORMS = {
    "plain": (
        "a folder per student",
        {"ada/u99.ipynb": TEXT, "ada/data/x.csv": "1", "bob/b.py": DOUBLE},
        {"ada": (["data/x.csv", "u99.ipynb"], "", ""), "bob": (["b.py"], "", "")},
    ),
    "zips of students": (
        "a folder per student",
        {"ada.zip": packed({"u99.ipynb": TEXT}), "bob.zip": packed({"home/u99.ipynb": TEXT})},
        {"ada": (["u99.ipynb"], "", ""), "bob": (["u99.ipynb"], "", "")},
    ),
    "one student": ("one student's work", {"u99.ipynb": TEXT, "x.csv": "1"}, None),
    "Canvas": (
        "a download from Canvas",
        {
            "lovelace_101_555_u99.ipynb": OTHER,
            "lovelace_101_556_u99-1.ipynb": TEXT,
            "byron_LATE_102_557_u99.ipynb": TEXT,
        },
        {"101": (["u99-1.ipynb"], "", "no"), "102": (["u99.ipynb"], "", "yes")},
    ),
    "Moodle": (
        "a download from Moodle",
        {
            "Ada Lovelace_201_assignsubmission_file_/u99.ipynb": TEXT,
            "Bob_202_assignsubmission_file_u99.ipynb": TEXT,
        },
        {"201": (["u99.ipynb"], "", ""), "202": (["u99.ipynb"], "", "")},
    ),
    "Blackboard": (
        "a download from Blackboard",
        {
            "Week 9_ada1_attempt_2026-11-29-10-00-00_u99.ipynb": OTHER,
            "Week 9_ada1_attempt_2026-11-30-10-00-00_u99.ipynb": TEXT,
            "Week 9_ada1_attempt_2026-11-30-10-00-00.txt": "Name: Ada (ada1)\n",
        },
        {"ada1": (["submission.txt", "u99.ipynb"], "2026-11-30T10:00:00", "")},
    ),
    "Gradescope": (
        "a download from Gradescope",
        {
            "submission_metadata.yml": GRADESCOPE,
            "submission_11/u99.ipynb": TEXT,
            "submission_12/u99.ipynb": TEXT,
        },
        {
            "s1": (["u99.ipynb"], "2026-11-30T15:00:00Z", ""),
            "bob@example.org": (["u99.ipynb"], "2026-11-29T09:00:00Z", ""),
        },
    ),
}


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("name", FORMS)
def test_a_download_is_recognised_and_sorted_by_student(tmp_path, name, zipped):
    form, files, want = FORMS[name]
    path = lay(tmp_path / "class", files)
    if zipped:
        path = tmp_path / "class.zip"
        path.write_bytes(packed(files))
    want = want or {"class": (sorted(files), "", "")}
    assert taken(path) == (form, want)


def test_of_several_attempts_the_last_counts_and_a_note_says_so(tmp_path):
    _, files, _ = FORMS["Canvas"]
    with Opened(lay(tmp_path / "class", files), Limits()) as opened:
        place = next(p for p in opened.handed.places if p.student == "101")
        assert "2 attempts were handed in: the last counts" in place.notes[0]
        reading = read_submission(submission(place, Limits()), Limits())
    assert "2 * x" in extract(reading, "u99-double", ["double"]).scripts[0].cells[-1][1]


def test_a_student_cannot_write_another_platforms_name(tmp_path):
    """What stands first in a name is the platform's; the end is the student's own."""
    name = "byron_102_557_lovelace_101_999_u99.ipynb"
    assert list(taken(lay(tmp_path / "class", {name: TEXT}))[1]) == ["102"]


def test_a_single_file_is_one_students_work(tmp_path):
    path = lay(tmp_path, {"u99.ipynb": TEXT, "other.ipynb": TEXT}) / "u99.ipynb"
    assert taken(path) == ("one student's work", {"u99": (["u99.ipynb"], "", "")})


def refused(path, limits=None):
    """{student: files}, and all that was said of what was refused."""
    limits = limits or Limits()
    with Opened(path, limits) as opened:
        told, files = list(opened.handed.notes), {}
        for place in opened.handed.places:
            got = submission(place, limits)
            files[place.student] = sorted(got.files)
            told += [*place.notes, *got.notes, *got.unreadable]
    return files, "\n".join(told)


def test_links_pipes_and_caps(tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("secret", encoding="utf-8")
    folder = fill(tmp_path / "class", {"ada": {"a.ipynb": TEXT, "b.txt": "x" * 50, "c.txt": "y" * 50}})
    try:
        (folder / "ada/link.txt").symlink_to(secret)
        (folder / "eve").symlink_to(folder / "ada")
        (folder / "ada/hard.txt").hardlink_to(secret)
        os.mkfifo(folder / "ada/pipe")
    except (OSError, AttributeError):
        pytest.skip("links can't be made here")
    files, told = refused(folder, Limits(total=len(TEXT) + 60))
    assert files == {"ada": ["a.ipynb", "b.txt"]}
    for name in ("link.txt", "hard.txt", "pipe", "c.txt", "eve"):
        assert f"{name} was refused" in told
    assert refused(folder, Limits(entries=1))[0] == {"ada": ["a.ipynb"]}


def test_a_zip_gives_regular_files_within_its_folders_only(tmp_path):
    path = tmp_path / "class.zip"
    link = zipfile.ZipInfo("ada/link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ada/a.ipynb", TEXT)
        archive.writestr("ada/A.ipynb", "differs in case only")
        archive.writestr("ada/con.txt", "a device of Windows")
        archive.writestr("ada/inner.zip", packed({"deeper.zip": packed({"x": "y"}), "b.txt": "b"}))
        archive.writestr("../slip.txt", "slip")
        archive.writestr("ada/../../slip.txt", "slip")
        archive.writestr("/abs/slip.txt", "slip")
        archive.writestr("C:/slip.txt", "slip")
        archive.writestr("loose.txt", "no folder")
        archive.writestr(link, "/etc/passwd")
        archive.writestr("bob/bomb", b"\0" * (8 << 20))
        archive.writestr("bob/b.ipynb", TEXT)
    files, told = refused(path)
    # of two names that some systems take for one, the first in order counts
    assert files["bob"] == ["b.ipynb"]
    assert files["ada"] == ["A.ipynb", "b.txt"]
    for reason in (
        "differs in case", "keeps its name for a device", "a zip within a zip", "leads out of its folder",
        "stands in no student's folder", "no regular file", "unpacks to more than",
    ):  # fmt: skip
        assert reason in told, (reason, told)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["class.zip"]  # nothing is unpacked to disk


WHOLE = {
    "no zip": (b"no zip", "is no zip"),
    "a cut zip": (packed({"ada/a.ipynb": TEXT})[:-30], "is no zip"),
    "an empty zip": (packed({}), "holds no folder"),
}


@pytest.mark.parametrize("name", WHOLE)
def test_what_is_no_class_is_said(tmp_path, name):
    data, told = WHOLE[name]
    (tmp_path / "a.zip").write_bytes(data)
    with pytest.raises(IntakeError, match=told):
        Opened(tmp_path / "a.zip", Limits())


def test_what_is_not_there_or_empty_is_said(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(IntakeError, match="holds no folder"):
        Opened(tmp_path / "empty", Limits())
    with pytest.raises(IntakeError, match="isn't there"):
        Opened(tmp_path / "nowhere", Limits())
    (tmp_path / "a.pdf").write_bytes(b"%PDF")
    with pytest.raises(IntakeError, match="neither a folder"):
        Opened(tmp_path / "a.pdf", Limits())


@pytest.mark.parametrize("name", ["ä", "a/b", "..", "CON", "a\ud800", "=x", "a."])
def test_page_names_are_plain(name):
    assert safe_name(name).isascii()
    assert "/" not in safe_name(name)
    assert not safe_name(name).startswith(".")


def test_what_lies_beside_the_code_fits_into_its_folder():
    """A file that the child's limits refuse would otherwise be taken for a fault of the grader's."""
    limits = Limits(file=10)
    names = {"a.ipynb": TEXT, "x.csv": "1", "big.bin": "x" * 11, "data": "file", "data/y.csv": "2"}
    desk = Desk.of({name: text.encode() for name, text in names.items()}, limits)
    assert sorted(desk.files) == ["data/y.csv", "x.csv"]
    assert len(desk.notes) == 2
