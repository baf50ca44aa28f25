"""What a gradient check found: true or false, a text, and a table for a notebook.

Needs errors.py only. Adds Finding (one argument, one mode) and Report. Read in U13.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape

from autodiff.errors import NumericalCheckError

RIGHT, WRONG, KINK, FLAT = "right", "wrong", "at a kink", "too flat to tell"
_SIGNS = {RIGHT: "✓", WRONG: "✗", KINK: "∧", FLAT: "?"}
_HEADINGS = (
    "Verdict", "Argument", "Mode", "Compared", "Worst entry", "Got", "Expected", "Relative error", "Allowed"
)  # fmt: skip
_LEFT = 'style="text-align:left"'  # in each cell: where nothing is trusted, notebooks drop style sheets
_STYLE = (
    "<style>.ad-check{overflow-x:auto;color:inherit}.ad-check table{border-collapse:collapse;color:inherit}"
    ".ad-check caption{font-weight:bold;padding:.3em 0;caption-side:top;color:inherit}"
    ".ad-check th,.ad-check td{vertical-align:top;padding:.25em .6em;"
    "border-bottom:1px solid #8888}.ad-check .number{font-family:monospace;white-space:nowrap}"
    ".ad-check tbody th{white-space:nowrap}.ad-check tr:has(+tr>td:first-child)>td{border-bottom:0}"
    ".ad-check .wrong th{border-left:.35em solid #c0392b}.ad-check .right th{border-left:.35em solid #1e8449}"
    ".ad-check .open th{border-left:.35em solid #b9770e}</style>"
)


@dataclass(frozen=True)
class Finding:
    """One argument, checked in one mode: its worst entry, and where to look if that is wrong."""

    argument: str
    mode: str  # "reverse" or "forward"
    order: int
    verdict: str  # RIGHT, WRONG, KINK; FLAT where rounding of f's values hides slopes as small as these
    checked: str  # what was compared, and with what: "12 entries, complex step"
    where: str = ""  # the worst entry
    got: float = math.nan
    expected: float = math.nan
    allowed: float = math.nan  # the difference that would pass
    look: tuple[str, ...] = ()

    @property
    def relative_error(self) -> float:
        """|got − expected| / |expected|; where 0 was expected, by |got|."""
        difference = abs(self.got - self.expected)
        return difference / (abs(self.expected) or abs(self.got)) if difference else difference

    @property
    def what(self) -> str:
        """The mode, and the order where it isn't the first."""
        if self.order == 1:
            return self.mode
        return "second order, " + ("reverse" if self.mode == "reverse" else "forward over reverse")

    def __str__(self) -> str:
        lines = [f"{_SIGNS[self.verdict]} {self.verdict}: {self.argument}, {self.what} ({self.checked})"]
        if self.where:
            lines[0] += (
                f": worst at {self.where}: got {self.got:.9g}, expected {self.expected:.9g}; "
                f"relative error {self.relative_error:.2g}, allowed difference {self.allowed:.2g}"
            )
        return "\n".join([*lines, *(f"    look: {hint}" for hint in self.look)])


@dataclass(frozen=True)
class Report:
    """All findings; true if nothing is wrong (what lies at a kink, or is too flat to tell, isn't)."""

    name: str
    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong."""
        return all(each.verdict != WRONG for each in self.findings)

    def __bool__(self) -> bool:
        return self.passed

    @property
    def summary(self) -> str:
        """The outcome in one line."""
        count, wrong = len(self.findings), sum(each.verdict == WRONG for each in self.findings)
        right = sum(each.verdict == RIGHT for each in self.findings)
        told = [f"{wrong or right} of {count} derivatives {WRONG if wrong else RIGHT}"]
        for verdict in (KINK, FLAT):
            if number := sum(each.verdict == verdict for each in self.findings):
                told.append(f"{number} {verdict}")
        return f"Gradient check of {self.name}: {', '.join(told)}"

    def raise_if_wrong(self) -> Report:
        """The report itself, or NumericalCheckError with its text."""
        if not self.passed:
            raise NumericalCheckError(str(self))
        return self

    def __str__(self) -> str:
        return "\n".join([self.summary, *map(str, self.findings), *self.notes])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        heads = "".join(f'<th scope="col" {_LEFT}>{each}</th>' for each in _HEADINGS)
        rows = "".join(_row(each) for each in self.findings)
        notes = "".join(f"<p>{escape(each)}</p>" for each in self.notes)
        return (
            f'{_STYLE}<div class="ad-check" tabindex="0" role="region" aria-label="Gradient check">'
            f"<table><caption {_LEFT}>{escape(self.summary)}</caption>"
            f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>{notes}</div>"
        )


def _row(it: Finding) -> str:
    """The row of a finding; and under it another where there is something to say."""
    numbers = (
        it.where,
        f"{it.got:.9g}",
        f"{it.expected:.9g}",
        f"{it.relative_error:.2g}",
        f"{it.allowed:.2g}",
    )
    words = "".join(f"<td {_LEFT}>{escape(each)}</td>" for each in (it.argument, it.what, it.checked))
    cells = "".join(
        f'<td class="number" {_LEFT}>{escape(each) if it.where else "–"}</td>' for each in numbers
    )
    kind = f' class="{it.verdict if it.verdict in (RIGHT, WRONG) else "open"}"'
    head = f'<th scope="row" rowspan="{1 + bool(it.look)}" {_LEFT}>{_SIGNS[it.verdict]} {it.verdict}</th>'
    look = "<br>".join(map(escape, it.look))
    under = f'<tr{kind}><td colspan="8" {_LEFT}><em>Where to look:</em> {look}</td></tr>' if look else ""
    return f"<tr{kind}>{head}{words}{cells}</tr>{under}"
