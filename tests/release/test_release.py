"""What students are handed: the same bytes each time, no line of a solution, and a wheel that works."""

import importlib.metadata
import io
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import course.units
from course.authoring.percent import read
from course.authoring.sources import choose, find_units, read_sources
from course.release import bundle, command
from course.release.lock import canonical, entries, part_for
from course.release.search import is_telling, leaks, normalised, secret_lines
from course.release.wheel import build_wheel, project_text, read_project, student_files

ROOT = Path(__file__).resolve().parents[2]
UNITS = Path(course.units.__path__[0])
U05 = UNITS / "u05_scalar"
LEAKED = "        return Scalar(left * right, grad=grad)"


@pytest.fixture(scope="module")
def made():
    sources = [read_sources(folder) for folder in choose(find_units(UNITS), ["u04", "u05"])]
    return bundle.make(ROOT, sources)


def wheel_of(made):
    return next(name for name in made.files if name.endswith(".whl"))


def repacked(data, name, change):
    """A wheel with the text of one file changed."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for each in old.namelist():
            text = old.read(each)
            new.writestr(each, change(text.decode()).encode() if each == name else text)
    return out.getvalue()


# ---- what is in it


def test_it_holds_the_units_asked_for_and_no_other(made):
    assert made.units == ("u04_paths", "u05_scalar")
    assert [name for name in made.files if not name.startswith("wheel/")] == [
        "DATA_LICENSES.md",
        "LICENSE",
        "README.md",
        "bootstrap.py",
        "exercises/u04_paths.ipynb",
        "exercises/u04_paths.py",
        "exercises/u05_scalar.ipynb",
        "exercises/u05_scalar.py",
        "notebooks/u04_paths.ipynb",
        "notebooks/u05_scalar.ipynb",
        "release.json",
        "requirements.lock",
    ]
    readme = made.files["README.md"].decode()
    assert "| u04 | Many paths: combine_dicts | 70 min |" in readme
    assert "python3 bootstrap.py start" in readme
    assert "u07" not in readme


def test_the_wheel_holds_the_engine_and_what_checks_at_home(made):
    with zipfile.ZipFile(io.BytesIO(made.files[wheel_of(made)])) as wheel:
        names = set(wheel.namelist())
        verbs = wheel.read("course/cli.py")
        metadata = wheel.read("autodiff_course-0.1.0.dist-info/METADATA").decode()
    assert {
        "autodiff/scalar.py",
        "autodiff/drawing/stepper.css",
        "course/units/u05_scalar/probes.py",
    } <= names
    unwanted = re.compile(
        r"mistakes|private|exercises\.py|lesson\.py|tests/|authoring/|validat|demo|u07|release|similarity|"
        r"grading/(?!__init__|limits|magics|reader)"
    )
    assert [name for name in names if unwanted.search(name)] == []
    assert verbs == (ROOT / "course" / "cli.py").read_bytes()  # it finds out by itself which verbs are there
    assert "Provides-Extra: course" in metadata
    for extra in ("dev", "grade", "nbgrader", "bench"):
        assert f"Provides-Extra: {extra}" not in metadata


def test_the_same_checkout_gives_the_same_bytes(made):
    again = bundle.make(ROOT, [read_sources(UNITS / name) for name in made.units])
    assert again.files == made.files
    assert bundle.zipped(again, "course") == bundle.zipped(made, "course")


def test_the_students_lock_is_closed(made):
    lock = made.files["requirements.lock"].decode()
    kept = {entry.name for entry in entries(lock)}
    assert {"numpy", "jupyterlab", "matplotlib", "uv"} <= kept
    assert kept.isdisjoint({"pytest", "hypothesis", "mypy", "ruff", "selenium", "hatchling"})
    for name in kept:
        try:
            wanted = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            continue  # for another platform
        for requirement in map(Requirement, wanted):
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                assert canonical(requirement.name) in kept, f"{name} needs {requirement.name}"


def test_a_lock_without_a_wanted_package_is_refused():
    lock = "a==1 \\\n    --hash=sha256:0\n    # via b\nb==2 \\\n    --hash=sha256:1\n    # via\n    #   c\n"
    assert [e.name for e in entries(part_for(lock, ["b"]))] == ["a", "b"]
    assert [e.name for e in entries(part_for(lock, ["a"]))] == ["a"]
    with pytest.raises(ValueError, match="has no c"):
        part_for(lock, ["c"])


def test_the_wheels_project_is_ours_without_grading():
    project = read_project(ROOT)
    text = project_text(project)
    assert '"course" = ["matplotlib' in text
    assert "pytest" not in text
    assert f'version = "{project["version"]}"' in text


# ---- the search


def test_no_line_of_a_solution_is_in_it(made):
    assert [str(leak) for leak in bundle.search(ROOT, made.files)] == []


@pytest.mark.parametrize("folder", find_units(UNITS), ids=lambda f: f.name)
def test_every_solution_has_lines_to_search_for(folder):
    secrets = secret_lines(folder)
    told = {origin.split("/")[1].split(":")[0] for origin in secrets.values()}
    assert told == {"exercises.py", "mistakes.py"}
    solutions = (ROOT / "solutions" / f"{folder.name}.ipynb").read_bytes()
    found = list(leaks({"solutions.ipynb": solutions}, secrets))
    assert found  # the search knows a solution when it sees one
    assert all(leak.place.startswith("solutions.ipynb, cell ") for leak in found)


def in_a_cell(text):
    notebook = json.loads(text)
    notebook["cells"][3]["source"].append(f"\n{LEAKED}")
    return json.dumps(notebook)


def in_an_output(text):
    notebook = json.loads(text)
    code = next(c for c in notebook["cells"] if c["cell_type"] == "code")
    code["outputs"] = [{"output_type": "stream", "name": "stdout", "text": ["so:\n", LEAKED + "\n"]}]
    return json.dumps(notebook)


PLANTED = [  # in which file of the release, how it is put there, where it is found
    ("exercises/u05_scalar.ipynb", in_a_cell, r"u05_scalar\.ipynb, cell 4 "),
    ("notebooks/u05_scalar.ipynb", in_an_output, r"notebooks/u05_scalar\.ipynb, cell \d+ "),
    ("exercises/u05_scalar.py", lambda t: t + LEAKED, r"exercises/u05_scalar\.py:\d+"),
    ("exercises/u05_scalar.py", lambda t: t + f"#{LEAKED}  # like so", r"exercises/u05_scalar\.py:\d+"),
    ("README.md", lambda t: t + LEAKED.replace(" * ", "*"), r"README\.md:\d+"),
    ("course/cli.py", lambda t: f"{t}\nif 1:\n{LEAKED[4:]}", r"wheel/.*\.whl!/course/cli\.py:\d+"),
    (
        "course/units/u04_paths/checks.py",
        lambda t: f"{t}\nA = {f'1{chr(10)}{LEAKED}'!r}\n",
        r"u04_paths/checks",
    ),
]


@pytest.mark.parametrize(("name", "change", "place"), PLANTED)
def test_a_planted_line_is_found(made, name, change, place):
    files = dict(made.files)
    if name in files:
        files[name] = change(files[name].decode()).encode()
    else:
        wheel = wheel_of(made)
        files[wheel] = repacked(files[wheel], name, change)
    (leak,) = bundle.search(ROOT, files)
    assert re.search(place, leak.place)
    assert re.match(r"u05_scalar/exercises\.py:\d+", leak.origin)
    with pytest.raises(bundle.ReleaseError, match="nothing was written"):
        command.refuse_leaks(ROOT, bundle.Bundle(files, made.units))


@pytest.mark.parametrize("secret", ["mistakes.py", "private.py", "exercises.py"])
def test_a_file_of_the_instructors_is_found(made, secret):
    files = student_files(ROOT, made.units)
    files[f"course/units/u05_scalar/{secret}"] = b"1\n"
    name, wheel = build_wheel(ROOT, files, "")
    (leak,) = bundle.search(ROOT, {name: wheel})
    assert leak.place.endswith(f"!/course/units/u05_scalar/{secret}")


def test_mistakes_private_engines_and_explanations_are_secret(tmp_path):
    folder = tmp_path / "u98_double"
    shutil.copytree(ROOT / "tests" / "authoring" / "units" / "u98_double", folder)
    with (folder / "exercises.py").open("a", encoding="utf-8") as file:
        file.write("\n# %% [markdown] id=u98-why role=why\n# Twice is once and once again.\n")
    (folder / "private.py").write_text("engine = lambda x, y: x * y - 3\n")
    secrets = secret_lines(folder)
    for line in ("return x * x", "Twice is once and once again.", "engine = lambda x, y: x * y - 3"):
        assert normalised(line) in secrets
    for line in ("self.a, self.c = a, c", 'check("u98-double")'):  # a student's copy has them
        assert normalised(line) not in secrets


@pytest.mark.parametrize(
    ("line", "telling"),
    [
        ("return 2 * x", True),
        ("merged = {}", False),
        ("merged[key] = op(merged[key], value)", True),
        ("f(a, b, c, d,", True),
        ("for key, value in b.items():", False),
        ("return merged", False),
        ("else:", False),
        (")", False),
        ("", False),
    ],
)
def test_which_lines_say_something(line, telling):
    assert is_telling(line) is telling


@pytest.mark.parametrize(
    "line", ["a = b+ c", "  a=b +c", "# a = b + c", "a = b + c  # sum", "#a = b + c", "\ta = b + c\r"]
)
def test_blanks_and_comment_signs_make_no_difference(line):
    assert normalised(line) == normalised("a = b + c")


# ---- writing it


def test_a_folder_that_is_no_release_is_left_alone(made, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(bundle.ReleaseError, match="isn't a release"):
        bundle.write(made, tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["notes.txt"]


def test_a_newer_release_takes_the_place_of_an_older_one(made, tmp_path):
    bundle.write(made, tmp_path / "new")
    (tmp_path / "new" / "work").mkdir()
    (tmp_path / "new" / "work" / "mine.py").write_text("mine")
    kept = {name: data for name, data in made.files.items() if "u04" not in name}
    bundle.write(bundle.Bundle(kept, ("u05_scalar",)), tmp_path / "new")
    assert not (tmp_path / "new" / "notebooks" / "u04_paths.ipynb").exists()
    assert (tmp_path / "new" / "notebooks" / "u05_scalar.ipynb").exists()
    assert (tmp_path / "new" / "work" / "mine.py").read_text() == "mine"


def test_a_marker_that_leads_elsewhere_deletes_nothing(made, tmp_path):
    bundle.write(made, tmp_path / "new")
    (tmp_path / "mine.txt").write_text("mine")
    told = json.loads((tmp_path / "new" / "release.json").read_text())
    told["files"]["../mine.txt"] = ""
    (tmp_path / "new" / "release.json").write_text(json.dumps(told))
    bundle.write(made, tmp_path / "new")
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_notebooks_that_were_not_built_are_refused(tmp_path):
    with pytest.raises(bundle.ReleaseError, match=r"exercises/u05_scalar\.ipynb is missing"):
        bundle.make(tmp_path, [read_sources(U05)])


def test_a_unit_with_something_left_to_write_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(bundle, "HOLE", "combine_dicts")
    assert command.main([str(tmp_path / "new"), "--units", "u04"]) == 1
    assert "u04_paths/checks.py:" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_an_unknown_unit_is_told(tmp_path, capsys):
    assert command.main([str(tmp_path / "new"), "--units", "u44"]) == 1
    assert "there is no unit 'u44'" in capsys.readouterr().err


# ---- a student unpacks it


@pytest.fixture(scope="module")
def student(tmp_path_factory):
    """A release, unzipped elsewhere: (its folder, the Python of a fresh environment with its wheel)."""
    home = tmp_path_factory.mktemp("student")
    assert command.main([str(home / "handed out" / "course"), "--zip"]) == 0
    with zipfile.ZipFile(home / "handed out" / "course.zip") as archive:
        archive.extractall(home)
    venv = home / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    python = venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    site = sysconfig.get_path("purelib", vars={"base": str(venv), "platbase": str(venv)})
    (wheel,) = (home / "course" / "wheel").iterdir()
    target = ["--target", site, "--no-deps", "--no-index", "--no-compile", "--quiet"]
    subprocess.run([sys.executable, "-m", "pip", "install", *target, wheel], check=True)
    # what the lock would bring, borrowed: a path file's folder comes after the environment's own
    (Path(site) / "borrowed.pth").write_text(sysconfig.get_path("purelib"))
    return home / "course", python


def run(student, *arguments):
    folder, python = student
    unset = ("PYTHONPATH", "VIRTUAL_ENV")
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    return subprocess.run(
        [python, "-m", "course.cli", *arguments],
        cwd=folder,
        env={**environment, "PYTHONIOENCODING": "utf-8", "JUPYTER_DATA_DIR": str(folder.parent / "jupyter")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


@pytest.mark.slow
def test_it_runs_from_its_own_wheel_and_offers_a_students_verbs(student):
    folder, python = student
    code = "import autodiff, course; print(autodiff.__file__, course.__file__, sep='\\n')"
    told = subprocess.run([python, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert all(line.startswith(str(folder.parent)) for line in told.stdout.splitlines())
    told = run(student, "--help").stdout
    offered = re.findall(r"^  (\w[\w-]*)  ", told, re.M)
    assert offered == ["check", "doctor", "start"]
    assert run(student, "grade", "x").returncode == 2
    told = run(student, "doctor")
    assert told.returncode == 0, told.stdout + told.stderr
    assert "Everything is there." in told.stdout


@pytest.mark.slow
def test_start_copies_and_checks_see_blanks_and_solutions(student):
    folder, _ = student
    told = run(student, "start", "--prepare-only", "--student", "anna", "--py")
    assert told.returncode == 0, told.stderr
    assert "Your key: anna." in told.stdout
    for unit in find_units(UNITS):
        blank = folder / "work" / "exercises" / f"{unit.name}.py"
        assert 'STUDENT = "anna"' in blank.read_text(encoding="utf-8")
        told = run(student, "check", unit.name[:3])
        assert told.returncode == 1, told.stdout + told.stderr
        assert "The blank is still there" in told.stdout
        solution = "\n\n".join(
            f"# %% id={c.id}\n{c.source}" for c in read(unit / "exercises.py") if c.type == "code"
        )
        (folder / "solved.py").write_text(solution, encoding="utf-8")
        told = run(student, "check", unit.name[:3], "solved.py")
        assert told.returncode == 0, told.stdout + told.stderr
        assert "All of it is right." in told.stdout


@pytest.mark.slow
def test_bootstrap_lists_the_verbs_before_anything_is_installed(student):
    folder, _ = student
    told = subprocess.run(
        [sys.executable, "-I", "bootstrap.py"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert told.returncode == 0, told.stderr
    assert "start" in told.stdout
    assert "grade" not in told.stdout
    assert not (folder / ".venv").exists()
