"""PNG pictures made small enough to be committed: a plot or a graph needs no more than 256 colours."""

from __future__ import annotations

import base64
import io

from PIL import Image


def smaller(png: str) -> str:
    """The same picture (base64), on white, in at most 256 colours; as it was where that's no smaller."""
    raw = base64.b64decode(png)
    with Image.open(io.BytesIO(raw)) as picture:
        layers = picture.convert("RGBA")
    page = Image.new("RGBA", layers.size, "white")
    flat = Image.alpha_composite(page, layers).convert("RGB")
    few = flat.quantize(256, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    made = io.BytesIO()
    few.save(made, "PNG", optimize=True)
    opaque = layers.getchannel("A").getextrema() == (255, 255)  # else black lines vanish in a dark theme
    best = min(made.getvalue(), raw, key=len) if opaque else made.getvalue()
    return base64.b64encode(best).decode("ascii")
