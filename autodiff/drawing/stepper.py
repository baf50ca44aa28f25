"""step(): a computation played forward and then backward, one rule at a time.

Needs views.py (which reads the graph of any engine), telling.py and story.py (what the frames say) and
stepper_html.py (the player). Read with U6: why a node has to wait for all its bills.
"""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import Any

from autodiff.drawing import stepper_html
from autodiff.drawing.layered import Layout
from autodiff.drawing.picture import write_whole
from autodiff.drawing.sheet import contact_sheet
from autodiff.drawing.story import Story, frames, widest
from autodiff.drawing.svg import arrange
from autodiff.drawing.telling import tell
from autodiff.drawing.views import read
from autodiff.errors import DrawingError, OptionError

SUFFIXES = (".html", ".png", ".txt")


class Stepper:
    """A computation frame by frame. A notebook shows a player; `str(s)` is the narration.

    >>> from autodiff import Scalar, step
    >>> s = step(Scalar(2.0, name="x") * 3)
    >>> s.frames[1]
    'Forward, rule 1 of 1. y = x × 3 = 2 × 3 = 6.'
    """

    def __init__(self, story: Story) -> None:
        self.title = story.title
        self._frames = frames(story)

    @property
    def frames(self) -> tuple[str, ...]:
        """The narration, a text for each frame."""
        return tuple(frame.words for frame in self._frames)

    def __len__(self) -> int:
        return len(self._frames)

    def __str__(self) -> str:
        return "\n".join(f"{k}. {text}" for k, text in enumerate(self.frames, 1))

    def __repr__(self) -> str:
        return f"<Stepper: {len(self)} frames of {self.title}>"

    @cached_property
    def _layouts(self) -> list[Layout]:
        """One layout for all frames, so that nothing jumps; frames of a part each have their own."""
        pictures = [frame.description for frame in self._frames]
        if len({tuple(node.id for node in each.nodes) for each in pictures}) == 1:
            return [arrange(widest(pictures))] * len(pictures)
        return [arrange(each) for each in pictures]

    @cached_property
    def _html(self) -> str:
        return stepper_html.fragment(self.title, self._frames, self._layouts)

    @cached_property
    def _png(self) -> bytes | None:
        return contact_sheet(self._frames, self._layouts)

    def png(self) -> bytes | None:
        """Frames side by side, for where nothing can be played; None without matplotlib, or if too large."""
        return self._png

    @property
    def words(self) -> str:
        """What the PNG shows, for those who can't see it: what is computed, and how it ends.

        >>> from autodiff import Scalar, step
        >>> step(Scalar(2.0, name="x") * 3).words
        "Step by step, forward and then backward: y = x × 3. The gradient: {'x': 3}."
        """
        return f"Step by step, forward and then backward: {self.title}. {self._frames[-1].formulas[0]}."

    def _repr_mimebundle_(
        self, include: Any = None, exclude: Any = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """For notebooks: the player; a PNG with its alt text where HTML isn't shown; words everywhere."""
        bundle: dict[str, Any] = {"text/html": self._html, "text/plain": str(self)}
        if (png := self.png()) is None:
            return bundle, {}
        return {**bundle, "image/png": png}, {"image/png": {"alt": self.words}}

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write a page that plays without a network (.html), frames side by side (.png), or words (.txt)."""
        path = Path(path)
        suffix = path.suffix.lower()
        if suffix not in SUFFIXES:
            raise OptionError(
                f"can't save as {path.name!r}: the name must end in one of {', '.join(SUFFIXES)}"
            )
        if suffix == ".png":
            if (png := self.png()) is None:
                raise DrawingError(
                    "no PNG can be made here: it needs matplotlib (pip install matplotlib), and frames that "
                    "are not too large. Save as .html"
                )
            return write_whole(path, png)
        text = (
            f"{self}\n"
            if suffix == ".txt"
            else stepper_html.stepper_page(self.title, self._frames, self._layouts)
        )
        return write_whole(path, text.encode())


def step(x: Any, g: Any = 1.0, name: str | None = None) -> Stepper:
    """`x` computed forward, then differentiated backward, one rule at a time, for a notebook to play.

    Every frame shows the node at work, its rule with numbers, and how many bills each node still waits for.
    `g` is the gradient that starts at x, `name` what x is called. Large graphs: about a dozen key frames.
    Nothing is freed and no `.grad` is touched. Errors: FreedGraphError, OperandError.

    >>> from autodiff import Scalar
    >>> a, b = Scalar(1.0, name="a"), Scalar(2.0, name="b")
    >>> len(step(a * b + 1)), step(a * b + 1).frames[-1]
    (7, "Done. The gradient: {'a': 2, 'b': 1}. Every bill has come.")
    """
    return Stepper(tell(read(x, g, name, what="step")))
