"""An explanation as HTML: a table that a screen reader walks through, and the picture beneath it.

Needs explained.py, image.py and page.py. Everything shows in an untrusted notebook, too. Not read in a unit.
"""

from __future__ import annotations

from collections.abc import Iterator

from autodiff.drawing.explained import Account, percent
from autodiff.drawing.image import image
from autodiff.drawing.page import text
from autodiff.drawing.reckoning import Part

STYLE = (
    ".ad-explain{color:inherit;line-height:1.45;max-width:100%}"
    ".ad-explain .ad-wide{overflow-x:auto}"
    ".ad-explain table{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:.4em 0}"
    ".ad-explain caption{font-weight:bold;padding:.2em .5em}"
    ".ad-explain th,.ad-explain td{vertical-align:top;padding:.2em .7em;"
    "border-bottom:1px solid #8888;background:none}"
    ".ad-explain tbody th{border-top:2px solid currentColor;font-weight:normal}"
)
LEFT, WHOLE = "text-align:left", ";white-space:nowrap"
COLUMNS = {  # in each cell: notebooks put all to the right, and drop style sheets where nothing is trusted
    "No.": LEFT,
    "Path": LEFT + WHOLE,
    "Product": LEFT,
    "Brings": "text-align:right" + WHOLE,
    "Share": "text-align:right" + WHOLE,
}


def fragment(account: Account, svg: str, alt: str) -> str:
    """Table, notes and picture, for a notebook or inside a page.

    >>> from autodiff import Scalar, explain
    >>> explain(Scalar(2.0, name="x") * 3)._repr_mimebundle_()[0]["text/html"][:23]
    '<div class="ad-explain"'
    """
    notes = "".join(f"<p>{text(note)}</p>" for note in account.notes())
    return (
        f'<div class="ad-explain" role="group" aria-label="{text(f"Explained: {account.title()}")}">'
        f"<style>{STYLE}</style>{_table(account)}{notes}"
        '<div class="ad-wide" tabindex="0" role="region" aria-label="The graph with the paths marked">'
        f"{image(svg, alt)}</div></div>"
    )


def _table(account: Account) -> str:
    if not account.parts:
        return "".join(f"<p>{text(line)}</p>" for line in account.lines())
    head = "".join(f'<th scope="col" style="{style}">{name}</th>' for name, style in COLUMNS.items())
    bodies = "".join("".join(_body(account, part)) for part in account.parts)
    return (
        '<div class="ad-wide" tabindex="0" role="region" aria-label="Paths and what they bring"><table>'
        f'<caption style="{LEFT}">The gradient as a sum over paths</caption>'
        f"<thead><tr>{head}</tr></thead>{bodies}</table></div>"
    )


def _body(account: Account, part: Part) -> Iterator[str]:
    across = f'colspan="{len(COLUMNS)}" style="{LEFT}"'
    yield f'<tbody><tr><th scope="rowgroup" {across}>{text(account.heading(part))}</th></tr>'
    for mark, other, way in account.ways():
        if other is part:
            product, _, brings = account.product(way).rpartition(" = ")
            if not product and len(way.hops) > 1:
                product = f"{len(way.hops):,} {'factors' if way.factors else 'Jacobians'}"
            share = account.share(way) or percent(way.share) if way.hops else ""
            cells = (mark, account.road(way), product or brings, brings, share)
            styled = zip(cells, COLUMNS.values(), strict=True)
            row = "".join(f'<td style="{style}">{text(cell)}</td>' for cell, style in styled)
            yield f"<tr>{row}</tr>"
    remarks = " ".join(account.remarks(part))
    if remarks:
        yield f"<tr><td {across}>{text(remarks)}</td></tr>"
    yield "</tbody>"
