"""Solution regions: what a student's copy leaves blank.

    ### BEGIN SOLUTION
    ### END SOLUTION

The stub that stands in their place is nbgrader's, so that our blanks and its release are the same.
"""

from __future__ import annotations

from course.authoring.percent import Cell

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
STUB = ("# YOUR CODE HERE", "raise NotImplementedError()")
# nbgrader acts on any line that contains one of these, comment or not
_RESERVED = (
    "BEGIN SOLUTION",
    "END SOLUTION",
    "BEGIN HIDDEN TESTS",
    "END HIDDEN TESTS",
    "BEGIN MARK SCHEME",
    "END MARK SCHEME",
    "AUTOTEST",
)


def regions(cell: Cell) -> list[tuple[int, int]]:
    """(first, last) line of each region, marker lines, counted in the cell's text from 0."""
    found: list[tuple[int, int]] = []
    begin: int | None = None
    lines = cell.source.split("\n")
    for k, line in enumerate(lines):
        number = cell.first_line + k
        if line.strip() == BEGIN:
            if begin is not None:
                mend = f"Close the one of line {cell.first_line + begin} with {END!r} first."
                raise cell.error("a solution region inside another", mend, number)
            begin = k
        elif line.strip() == END:
            if begin is None:
                raise cell.error(f"{END!r} without a beginning", f"Write {BEGIN!r} above it.", number)
            if not any(_is_code(inner) for inner in lines[begin + 1 : k]):
                raise cell.error("a solution region without code", "Write the solution into it.", number)
            found.append((begin, k))
            begin = None
        elif word := next((word for word in _RESERVED if word in line), None):
            mend = (
                f"nbgrader would act on it. A region's own lines are {BEGIN!r} and {END!r}; else reword it."
            )
            raise cell.error(f"{word!r} inside a line: {line.strip()!r}", mend, number)
    if begin is not None:
        mend = f"End it with {END!r} in the same cell."
        raise cell.error("a solution region that isn't closed", mend, cell.first_line + begin)
    return found


def blanked(cell: Cell) -> str:
    """The cell's text as a student gets it: a stub in place of each region."""
    lines = cell.source.split("\n")
    for begin, end in reversed(regions(cell)):
        indent = lines[begin][: len(lines[begin]) - len(lines[begin].lstrip())]
        lines[begin : end + 1] = [indent + line for line in STUB]
    return "\n".join(lines)


def _is_code(line: str) -> bool:
    return bool(line.strip()) and not line.strip().startswith("#")
