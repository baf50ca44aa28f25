"""The one frame of every page that we write: language, title, light and dark; nothing from a network.

Needs labels.py, the palette of style.py, and page.css beside this file. The pages of draw(), step() and
explain() stand in it, and those of the course; no script is needed to read one. Not read in a unit.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from html import escape
from pathlib import Path

from autodiff.drawing.labels import plain
from autodiff.drawing.style import DARK, LIGHT

# What page.css calls the colours of the palette.
COLOURS = {
    "paper": "paper",
    "ink": "ink",
    "soft": "quiet",
    "link": "parameter",
    "good": "output",
    "bad": "back",
}


def page(title: str, inside: str, style: str = "", script: str = "") -> str:
    """An HTML page around what is to be shown; it follows the reader's choice of light and dark.

    `style` is added to the style sheet. `script` is the text of the one script that `inside` may hold: a
    browser runs no other, and fetches nothing.

    >>> page("a < b", "").count("a &lt; b")
    2
    """
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    allowed = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    allowed += f"; script-src 'sha256-{digest}'" if script else ""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f'<meta http-equiv="Content-Security-Policy" content="{allowed}">\n'
        f"<title>{text(title)}</title>\n<style>\n{_frame_style()}{style}</style></head>\n"
        f"<body><main>\n<h1>{text(title)}</h1>\n{inside}\n</main></body></html>\n"
    )


def text(words: str) -> str:
    """Words fit to stand in HTML, in an attribute too.

    >>> text('<b> "&"')
    '&lt;b&gt; &quot;&amp;&quot;'
    """
    return escape(plain(words))


@cache
def _frame_style() -> str:
    light, dark = (
        "".join(f"--{name}:{palette[key]};" for name, key in COLOURS.items()) for palette in (LIGHT, DARK)
    )
    return (
        f":root{{color-scheme:light dark;--edge:#8888;{light}}}\n"
        f"@media (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"
        f"{Path(__file__).with_name('page.css').read_text(encoding='utf-8')}"
    )
