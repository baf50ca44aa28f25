"""A picture as an <img> with its words: shown in a notebook that isn't trusted, too, in light and in dark.

Needs labels.py and style.py. A notebook makes an image of a bare SVG or PNG itself, and leaves out the alt
text; so pictures come as HTML as well. Not read in a unit.
"""

from __future__ import annotations

import base64
import re
from html import escape

from autodiff.drawing.labels import plain
from autodiff.drawing.style import fitting


def image(picture: str | bytes, words: str) -> str:
    """SVG text or the bytes of a PNG as an <img> that fits the page, and that `words` stand for.

    >>> image('<svg width="40" height="20"/>', "a < b").partition(" src=")[0]
    '<img alt="a &lt; b" style="max-width:100%;min-width:40px;height:auto"'
    """
    content, form = (picture.encode(), "svg+xml") if isinstance(picture, str) else (picture, "png")
    found = re.match(r'<svg [^>]*?\bwidth="([\d.]+)"', picture) if isinstance(picture, str) else None
    style = fitting(float(found[1]) if found else 0.0)
    data = base64.b64encode(content).decode()
    return f'<img alt="{escape(plain(words))}" style="{style}" src="data:image/{form};base64,{data}"/>'
