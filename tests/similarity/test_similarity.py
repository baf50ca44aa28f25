"""Which submissions are alike: what a copy can't hide, what is nobody's, and how a class is told."""

import csv
import io
import random
import re

import pytest

from course.checking.exercise import Exercise
from course.grading.unit import load_units
from course.similarity import command
from course.similarity.fingerprints import LENGTH, WINDOW, fingerprints, runs, words
from course.similarity.pairs import Handed, compare, joined
from course.similarity.report import csv_text, html_text, line_ranges, terminal_text

ORIGINAL = '''
def mean_of_squares(values, floor=0.5):
    """The mean of the squares above a floor."""
    total, count = 0.0, 0
    for value in values:
        square = value * value
        if square > floor:
            total += square
            count += 1
    return total / count if count else floor
'''

RENAMED = """
# all my own work
def msq(xs, eps=0.5):
    t, n = 0.0, 0

    for x in xs:
        s = x*x          # the square
        if (s > eps):
            t += s
            n += 1.0
    return (t / n
            if n else eps)
"""

OTHER = """
def mean_of_squares(values, floor=0.5):
    kept = [value**2 for value in values if value**2 > floor]
    return sum(kept) / max(len(kept), 1) or floor
"""

# the loop of ORIGINAL within another program, names changed
PARTIAL = """
import math

def other(rows):
    log = []
    for row in rows:
        log.append([math.sin(cell) for cell in row if cell])
    return log

def third(data, eps):
    a, b = 0.0, 0
    for d in data:
        e = d * d
        if e > eps:
            a += e
            b += 1
    while b > 100:
        b = math.floor(math.sqrt(b)) - 1
    return {"a": a, "b": b}
"""


def share(a, b):
    ours, theirs = set(fingerprints(a)), set(fingerprints(b))
    return len(ours & theirs) / min(len(ours), len(theirs))


def test_names_comments_and_layout_hide_nothing():
    assert share(ORIGINAL, RENAMED) == 1.0
    assert [w.text for w in words(__import__("ast").parse(ORIGINAL))][:2] == ["FunctionDef", "arg"]


def test_another_way_of_saying_it_is_another():
    assert share(ORIGINAL, OTHER) == 0.0


def test_a_part_shows():
    assert 0.3 < share(ORIGINAL, PARTIAL) < 1.0


def test_the_order_of_passages_hides_little():
    halves = PARTIAL.split("def third")
    assert share(PARTIAL, f"{halves[0][:14]}\ndef third{halves[1]}{halves[0][14:]}") > 0.7


@pytest.mark.parametrize("seed", range(20))
def test_every_long_enough_passage_leaves_a_fingerprint(seed):
    rng = random.Random(seed)

    def noise(count):
        forms = (
            "x = f(x)",
            "x.y -= 1",
            "del x",
            "x = [1, 2]",
            "assert x",
            "x @= y",
            "x = {y: 2}",
            "x = not y",
        )
        return "\n".join(rng.choice(forms) for _ in range(count))

    passage = "a = b * c + d\nif a > b: c = d ** a"
    assert len(list(words(__import__("ast").parse(passage)))) >= LENGTH + WINDOW - 1
    one, other = (f"{noise(rng.randrange(9))}\n{passage}\n{noise(rng.randrange(9))}" for _ in range(2))
    assert set(fingerprints(one)) & set(fingerprints(other)) & runs(passage)


def test_what_was_handed_out_does_not_count():
    given = runs(ORIGINAL)
    assert fingerprints(RENAMED, given) == {}
    assert fingerprints(PARTIAL, given)


@pytest.mark.parametrize("text", ["", "# a comment", "pass"])
def test_nothing_has_no_fingerprint(text):
    assert fingerprints(text) == {}


@pytest.mark.parametrize("text", ["def f(", "x = = 1", "\0", "(" * 500])
def test_no_python_is_none(text):
    assert fingerprints(text) is None


@pytest.mark.parametrize(
    "text", ["x = " + "1" * 4000, "x = 1e999", "x = 1j", "-" * 80 + "x", "x" + "[0]" * 150]
)
def test_odd_programs_are_read(text):
    assert fingerprints(text) is not None


# ---- a class


def handed(**texts):
    return [Handed(name, "u99-mean", text, fingerprints(text)) for name, text in texts.items()]


def test_the_most_alike_pair_comes_first_with_its_lines():
    told = compare(handed(ada=ORIGINAL, ben=OTHER, cleo=RENAMED, dan=PARTIAL), common=5)
    first = told.pairs[0]
    assert first.students == ("ada", "cleo")
    assert first.share == 1.0
    (match,) = first.matches
    assert [line_ranges(lines) for lines in match.lines] == ["lines 2-10", "lines 3-12"]
    assert all("ben" not in pair.students for pair in told.pairs)
    assert [pair.share for pair in told.pairs] == sorted((p.share for p in told.pairs), reverse=True)


def test_what_many_have_is_nobodys():
    many = {f"s{n}": ORIGINAL for n in range(6)}
    assert compare(handed(**many), common=5).pairs == ()
    assert len(compare(handed(**many), common=6).pairs) == 15


def test_exercises_are_compared_each_with_itself():
    one, other = handed(ada=ORIGINAL, ben=ORIGINAL)
    moved = Handed("ben", "u99-other", other.source, other.prints)
    assert compare([one, moved], common=5).pairs == ()


def test_the_share_counts_all_that_both_handed_in():
    both = handed(ada=ORIGINAL, ben=RENAMED)
    more = [Handed(s, "u99-b", t, fingerprints(t)) for s, t in (("ada", OTHER), ("ben", PARTIAL))]
    (pair,) = compare([*both, *more], common=5).pairs
    assert pair.matches[0].share == 1.0
    assert 0.3 < pair.share < 1.0


@pytest.mark.parametrize(
    ("places", "told"),
    [([(1, 2), (3, 4)], ((1, 4),)), ([(5, 5), (1, 2)], ((1, 2), (5, 5))), ([(1, 9), (2, 3)], ((1, 9),))],
)
def test_lines_that_touch_are_one_range(places, told):
    assert joined(places) == told


# ---- what is told


EVIL = {"=cmd()": ORIGINAL, "<b>": RENAMED.replace("all my own", "<script>alert(1)</script>")}


def test_the_page_is_escaped_and_says_that_it_is_no_verdict():
    told = compare(handed(**EVIL), common=5, notes=["<i>: unreadable"])
    text = html_text(told, told.pairs)
    assert "It is no verdict" in text
    for raw in ("<script>alert", "<b>", "<i>"):
        assert raw not in text
    assert text.count("<mark>") == 19
    assert "100 %" in text


def test_the_table_has_no_formula():
    told = compare(handed(**EVIL), common=5)
    (row,) = csv.DictReader(io.StringIO(csv_text(told.pairs)))
    assert (row["student_a"], row["student_b"], row["exercise_share"]) == ("<b>", "'=cmd()", "1")
    assert row["lines_b"] == "lines 2-10"


def test_the_terminal_names_pairs_and_no_culprit():
    told = compare(handed(ada=ORIGINAL, cleo=RENAMED), common=5)
    text = terminal_text(told, told.pairs)
    assert "100 %  ada, cleo: u99-mean 100 % (lines 2-10 and lines 3-12)" in text
    assert "no verdict" in text


# ---- through the grader's own intake

UNIT = "u05_scalar"
MINE = """    def __add__(self, other):
        def grad(g):
            first, second = self.grad(g), other.grad(g)
            return {k: first.get(k, 0.0) + second.get(k, 0.0) for k in sorted({*first, *second})}
        return Scalar(sum([self.value, other.value]), grad=grad)
    def __mul__(self, other):
        kept = [self.value, other.value]
        def grad(g):
            return add_up(self.grad(kept[1] * g), other.grad(kept[0] * g))
        return Scalar(kept[0] * kept[1], None, grad)
"""
BLANK = """    def __add__(self, other):
        raise NotImplementedError()
    def __mul__(self, other):
        raise NotImplementedError()
"""
HEAD = '''class Scalar:
    """A number that can hand a gradient back. With a name it is a leaf, without one a constant."""

    def __init__(self, value, name=None, grad=None):
        self.value = value
        self.grad = grad or (lambda g: {} if name is None else {name: g})

'''


@pytest.fixture
def group(tmp_path):
    theirs = re.sub(r"\bkept\b", "pair", MINE).replace("first", "p").replace("second", "q")
    for name, body in {"ada": MINE, "ben": theirs, "cleo": BLANK, "dan": BLANK, "eve": "    def (\n"}.items():
        folder = tmp_path / "class" / name
        folder.mkdir(parents=True)
        (folder / "u05.py").write_text(f"# %% id=u05-multiply\n{HEAD}{body}")
    return tmp_path / "class"


def test_a_class_folder_is_compared(group, tmp_path, capsys):
    assert command.main([str(group), "-o", str(tmp_path / "out"), "--unit", "u05"]) == 0
    told = capsys.readouterr().out
    assert "100 %  ada, ben: u05-multiply" in told
    assert "cleo" not in told  # two blanks share nothing of their own
    assert "eve: u05-multiply is no Python" in told
    assert (tmp_path / "out" / "similarity.csv").read_text().count("\n") == 2
    page = (tmp_path / "out" / "similarity.html").read_text(encoding="utf-8")
    assert "ada and ben" in page
    assert "__init__" in page
    before = page
    assert command.main([str(group), "-o", str(tmp_path / "out"), "--unit", "u05"]) == 0
    assert (tmp_path / "out" / "similarity.html").read_text(encoding="utf-8") == before


def test_wrong_usage_is_told(tmp_path, capsys):
    assert command.main([str(tmp_path / "nowhere")]) == 2
    assert "isn't there" in capsys.readouterr().err


def test_the_units_are_the_graders():
    assert all(isinstance(e, Exercise) for unit in load_units([UNIT]) for e in unit.exercises.values())
