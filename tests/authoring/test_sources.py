"""What a source may say, and what is said of one that's wrong: file, line, finding, mend."""

from pathlib import Path

import pytest

from course.authoring import rules
from course.authoring.errors import BuildError, SourceError
from course.authoring.percent import parse
from course.authoring.regions import blanked
from course.authoring.sources import choose, find_units, read_sources
from course.authoring.unit import read_unit

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
EXERCISE = f"# %% id=u98-a role=exercise\n{BEGIN}\na = 1\n{END}\n"
CHECK = '# %% id=u98-a-check role=check points=1\ncheck("u98-a")\n'


def lesson(text):
    rules.check_lesson(parse(text, Path("lesson.py")), "u98")


def exercises(text):
    rules.check_exercises(parse(text, Path("exercises.py")), "u98")


def mistakes(text):
    rules.check_mistakes(parse(text, Path("mistakes.py")), {"u98-a"})


# fmt: off
WRONG = [  # which file, its text, the line complained of, words of the complaint
    # cells and headers
    (lesson, "", 1, "no cell"),
    (lesson, "# A comment.\nimport os\n# %% id=u98-a\n1\n", 2, "before the first cell"),
    (lesson, '"""Doc."""\n"""Another."""\n# %% id=u98-a\n1\n', 2, "before the first cell"),
    (lesson, "plain text\n# %% id=u98-a\n1\n", 1, "before the first cell"),
    (lesson, "# %% id=u98-a\n1\n#%% id=u98-b\n2\n", 3, "can't be read"),
    (lesson, "# %%id=u98-a\n1\n", 1, "can't be read"),
    (lesson, "# %% [raw] id=u98-a\n1\n", 1, "[raw]"),
    (lesson, "# %% id=u98-a\n\n# %% id=u98-b\n1\n", 1, "empty cell"),
    (lesson, "# %% id=u98-a alt=\"open\n1\n", 1, "isn't closed"),
    (lesson, "# %% id=u98-a figure\n1\n", 1, "'figure'"),
    (lesson, "# %% id=u98-a alt=\n1\n", 1, "'alt='"),
    (lesson, "# %% id=u98-a track=full\n1\n", 1, "Did you mean tracks?"),
    (lesson, "# %% id=u98-a id=u98-b\n1\n", 1, "stands twice"),
    (lesson, "# %% [markdown] id=u98-a\n# Text.\n\ncode()\n", 4, "no comment"),
    (lesson, "# %% [markdown] id=u98-a\n#Text.\n", 2, "no comment"),
    # ids
    (lesson, "# %%\n1\n", 1, "without an id"),
    (lesson, "# %% id=u98-A\n1\n", 1, "1 to 64 of a-z"),
    (lesson, "# %% id=u98.a\n1\n", 1, "1 to 64 of a-z"),
    (lesson, f"# %% id=u98-{'a' * 61}\n1\n", 1, "1 to 64 of a-z"),
    (lesson, "# %% id=u97-a\n1\n", 1, "begin with u98-"),
    (lesson, "# %% id=u98-a\n1\n# %% id=u98-a\n2\n", 3, "Line 1 has it already"),
    (exercises, "# %% id=u98-student\n1\n", 1, "The build adds that cell"),
    # what goes with what
    (lesson, "# %% id=u98-a role=exercise\n1\n", 1, "'role' in lesson.py"),
    (lesson, "# %% id=u98-a kind=wrong\n1\n", 1, "'kind' in lesson.py"),
    (lesson, "# %% [markdown] id=u98-a alt=x\n# Text.\n", 1, "alt on a markdown cell"),
    (lesson, "# %% id=u98-a\n1\n2 +\n", 3, "no Python"),
    (lesson, "# %% id=u98-a\n%matplotlib inline\n", 2, "no magics"),
    (lesson, f"# %% id=u98-a\n1\n{BEGIN}\n1\n{END}\n", 3, "outside an exercise"),
    (exercises, "# %% id=u98-a role=task\n1\n", 1, "role=check and role=why"),
    (exercises, "# %% id=u98-a role=why\n1\n", 1, "role=why on a code cell"),
    (exercises, "# %% [markdown] id=u98-a role=exercise\n# Text.\n", 1, "other roles are for code"),
    (exercises, "# %% id=u98-a points=2\n1\n", 1, "points without role=check"),
    (exercises, f"# %% [markdown] id=u98-a\n# {BEGIN}\n", 2, "isn't closed"),
    # exercises and their regions
    (exercises, "# %% id=u98-a role=exercise\n1\n" + CHECK, 1, "without a solution region"),
    (exercises, f"# %% id=u98-a role=exercise\n{BEGIN}\n1\n" + CHECK, 2, "isn't closed"),
    (exercises, f"# %% id=u98-a role=exercise\n{BEGIN}\n1\n{BEGIN}\n2\n{END}\n" + CHECK, 4, "inside another"),
    (exercises, f"# %% id=u98-a role=exercise\n1\n{END}\n" + CHECK, 3, "without a beginning"),
    (exercises, f"# %% id=u98-a role=exercise\n{BEGIN}\n# only this\n{END}\n" + CHECK, 4, "without code"),
    (exercises, f"# %% id=u98-a role=exercise\n#{BEGIN}\n1\n{END}\n" + CHECK, 2, "inside a line"),
    (exercises, f"# %% id=u98-a role=exercise\n{BEGIN}\n1  # AUTOTEST\n{END}\n" + CHECK, 3, "nbgrader"),
    (exercises, EXERCISE.replace("exercise", "exercise points=3") + CHECK, 1, "points at an exercise"),
    (exercises, EXERCISE.replace("u98-a", "u98-a-check"), 1, "for check cells"),
    (exercises, EXERCISE, 1, "has no check"),
    # checks
    (exercises, CHECK, 1, "without its exercise"),
    (exercises, CHECK + EXERCISE, 1, "without its exercise"),
    (exercises, EXERCISE + CHECK.replace(" points=1", ""), 5, "without points"),
    (exercises, EXERCISE + CHECK.replace("=1", "=0"), 5, "above 0"),
    (exercises, EXERCISE + CHECK.replace("=1", "=five"), 5, "above 0"),
    (exercises, EXERCISE + CHECK.replace("=1", "=nan"), 5, "above 0"),
    (exercises, EXERCISE + CHECK.replace('"u98-a"', '"u98-b"'), 5, "doesn't end in its call"),
    (exercises, EXERCISE + CHECK + "None\n", 5, "doesn't end in its call"),
    (exercises, EXERCISE + CHECK.replace("u98-a-check", "u98-a-test"), 5, "without its exercise"),
    # mistakes
    (mistakes, "# %% exercise=u98-a name=M01 family=values\n1\n", 1, "kind=(none)"),
    (mistakes, "# %% kind=bad exercise=u98-a name=M01 family=values\n1\n", 1, "kind=bad"),
    (mistakes, "# %% kind=wrong exercise=u98-b name=M01 family=values\n1\n", 1, "exercises.py has u98-a"),
    (mistakes, "# %% kind=wrong exercise=u98-a family=values\n1\n", 1, "without a name"),
    (mistakes, "# %% kind=wrong exercise=u98-a name=M01\n1\n", 1, "without a family"),
    (mistakes, "# %% kind=right exercise=u98-a name=x\n1\n" * 2, 3, "twice"),
    (mistakes, "# %% kind=right exercise=u98-a name=x id=u98-b\n1\n", 1, "'id' in mistakes.py"),
]
# fmt: on


@pytest.mark.parametrize(("rule", "text", "line", "words"), WRONG)
def test_a_wrong_source_is_told_with_its_line(rule, text, line, words):
    with pytest.raises(SourceError) as caught:
        rule(text)
    assert caught.value.line == line
    assert str(caught.value).startswith(f"{rule.__name__}.py:{line}: ")
    assert words in str(caught.value)


def test_cells_are_read_as_they_stand():
    text = (
        '"""A docstring."""\n# and a comment\n\n# %% [markdown] id=u98-t tracks=full,taster\n'
        "# # Title\n#\n# hard  \n# break\n\n\n"
        '# %% id=u98-c alt="it\'s a line"\n\nx = 1\n\n\n# no cell: %%\ny = 2\n\n'
    )
    markdown, code = parse(text, Path("lesson.py"))
    assert (markdown.type, markdown.source) == ("markdown", "# Title\n\nhard  \nbreak")
    assert (markdown.tracks, markdown.line, markdown.first_line) == (("full", "taster"), 4, 5)
    assert (code.type, code.source) == ("code", "x = 1\n\n\n# no cell: %%\ny = 2")
    assert (code.alt, code.line, code.first_line) == ("it's a line", 11, 13)


def test_windows_line_endings_make_no_difference():
    text = EXERCISE + CHECK
    assert parse(text.replace("\n", "\r\n"), Path("a.py")) == parse(text, Path("a.py"))


def test_each_region_becomes_a_stub_with_its_indentation():
    text = (
        f"# %% id=u98-a\nif 1:\n    {BEGIN}\n    a = 1\n    {END}\nelse:\n    b = 2\n{BEGIN}\nc = 3\n{END}\n"
    )
    stub = "# YOUR CODE HERE\nraise NotImplementedError()"
    indented = "    # YOUR CODE HERE\n    raise NotImplementedError()"
    assert blanked(parse(text, Path("a.py"))[0]) == f"if 1:\n{indented}\nelse:\n    b = 2\n{stub}"


UNIT = """title = "Doubling"
objectives = ["double"]
prerequisites = []
minutes = 5
tracks = ["full"]
"""

WRONG_UNITS = [
    (UNIT.replace('"full"', "full"), 5, "no TOML"),
    (UNIT.replace("minutes = 5\n", ""), 1, "minutes is missing"),
    (UNIT + "objective = []\n", 6, "Did you mean objectives?"),
    (UNIT.replace("5", '"5"'), 4, "whole number"),
    (UNIT.replace("5", "true"), 4, "whole number"),
    (UNIT.replace('"Doubling"', '""'), 1, "Write a text"),
    (UNIT.replace('["double"]', '"double"'), 2, "Write a list"),
    (UNIT + "provides = [1]\n", 6, "Write a list"),
    (UNIT + "terms = 3\n", 6, "list of terms"),
    (UNIT + "\n[terms]\na = 1\n", 7, "list of terms"),
]


@pytest.mark.parametrize(("text", "line", "words"), WRONG_UNITS)
def test_a_wrong_unit_file_is_told_with_its_line(text, line, words, tmp_path):
    (tmp_path / "unit.toml").write_text(text)
    with pytest.raises(SourceError, match=words) as caught:
        read_unit(tmp_path)
    assert caught.value.line == line


def test_a_unit_file_is_read_with_terms_as_a_list_or_a_table(tmp_path):
    folder = tmp_path / "u05_scalar"
    folder.mkdir()
    (folder / "unit.toml").write_text(UNIT + 'terms = ["leaf"]\n')
    unit = read_unit(folder)
    assert (unit.name, unit.prefix, unit.heading) == ("u05_scalar", "u05", "U5 Doubling")
    assert (unit.minutes, unit.tracks, unit.terms, unit.provides) == (5, ("full",), {"leaf": ""}, ())
    (folder / "unit.toml").write_text(UNIT + '[terms]\nleaf = "a value"\n')
    assert read_unit(folder).terms == {"leaf": "a value"}


# what is changed in the test unit, and what is said of it
DISAGREEMENTS = [
    ("exercises.py", "points=4", "points=5", "u98-double has 5 points here and 4 in checks.py"),
    ("exercises.py", "u98-line", "u98-lines", "u98-lines has no Exercise in checks.py"),
    ("exercises.py", "tracks=full", "tracks=weekend", "for the track 'weekend'"),
    ("mistakes.py", "u98-double", "u98-triple", "exercises.py has u98-double, u98-line"),
]


@pytest.mark.parametrize(("file", "old", "new", "words"), DISAGREEMENTS)
def test_sources_that_disagree_stop_the_build(file, old, new, words, units, tmp_path):
    folder = _copy(units / "u98_double", tmp_path)
    path = folder / file
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(SourceError, match=words):
        read_sources(folder)


def test_an_exercise_that_no_cell_checks_stops_the_build(units, tmp_path):
    folder = _copy(units / "u98_double", tmp_path)
    text = (folder / "exercises.py").read_text()
    (folder / "exercises.py").write_text(text[: text.index("# %% id=u98-line")])
    with pytest.raises(BuildError, match="has u98-line, which no cell"):
        read_sources(folder)


def test_exercises_without_checks_stop_the_build(units, tmp_path):
    folder = _copy(units / "u98_double", tmp_path)
    (folder / "checks.py").unlink()
    with pytest.raises(BuildError, match=r"checks\.py is missing"):
        read_sources(folder)


def test_units_are_chosen_by_number_or_name(tmp_path):
    for name in ("u04_paths", "u05_scalar", "notes"):
        (tmp_path / name).mkdir()
        if name != "notes":
            (tmp_path / name / "unit.toml").touch()
    found = find_units(tmp_path)
    assert [f.name for f in found] == ["u04_paths", "u05_scalar"]
    assert choose(found, []) == found
    assert choose(found, ["u05"]) == choose(found, ["u05_scalar"]) == found[1:]
    with pytest.raises(BuildError, match=r"no unit 'u06'\. There are: u04_paths, u05_scalar"):
        choose(found, ["u06"])
    (tmp_path / "unit5").mkdir()
    (tmp_path / "unit5" / "lesson.py").touch()
    with pytest.raises(BuildError, match="named like u05_scalar"):
        find_units(tmp_path)


def _copy(folder, into):
    made = into / folder.name
    made.mkdir()
    for path in folder.iterdir():
        if path.is_file():
            (made / path.name).write_bytes(path.read_bytes())
    return made
