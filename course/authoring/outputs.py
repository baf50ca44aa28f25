"""What an executed lesson keeps of its outputs: text, small tables, PNG pictures with their words."""

from __future__ import annotations

import re
from typing import Any

from nbformat import NotebookNode

from course.authoring.percent import Cell
from course.authoring.pictures import smaller

TEXT = ("text/plain", "text/markdown", "text/latex")
HTML_LIMIT = 20_000  # characters: a table, a check's report; no player with pictures inside
_ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]{6,}")
_REPR = re.compile(r"<.*>\s*\Z", re.DOTALL)


def keep(cell: Cell, outputs: list[NotebookNode]) -> list[dict[str, Any]]:
    """The outputs of one cell that go into the committed notebook; SourceError for one that can't."""
    kept: list[dict[str, Any]] = []
    for given in outputs:
        if given["output_type"] == "stream":
            _add_stream(cell, kept, given)
        elif given["output_type"] in ("display_data", "execute_result"):
            bundle = _bundle(cell, given)
            if bundle["data"]:
                kept.append(bundle)
    for output in kept:
        _refuse_addresses(cell, output)
    return kept


def _add_stream(cell: Cell, kept: list[dict[str, Any]], output: NotebookNode) -> None:
    if output["name"] == "stderr":
        told = output["text"].strip().splitlines()[-1]
        mend = "A lesson prints to stdout only; mend the warning, or catch it and print what matters."
        raise cell.error(f"cell {cell.id} writes to stderr: {told}", mend)
    if kept and kept[-1]["output_type"] == "stream":
        kept[-1]["text"] += output["text"]  # how often a kernel flushes is chance
    else:
        kept.append({"output_type": "stream", "name": "stdout", "text": output["text"]})


def _bundle(cell: Cell, output: NotebookNode) -> dict[str, Any]:
    given = output["data"]
    data = {kind: _joined(given[kind]) for kind in TEXT if kind in given}
    made: dict[str, Any] = {"output_type": output["output_type"], "data": data, "metadata": {}}
    if "image/png" in given:
        words = cell.alt or data.get("text/plain", "")
        if not words or (not cell.alt and _REPR.match(words)):
            mend = 'Say what it shows in the cell\'s header: alt="…".'
            raise cell.error(f"cell {cell.id} draws a figure without alt text", mend)
        data["image/png"] = smaller(_joined(given["image/png"]))
        made["metadata"] = {"image/png": {**output["metadata"].get("image/png", {}), "alt": words}}
    elif "text/html" in given and len(_joined(given["text/html"])) <= HTML_LIMIT:
        data["text/html"] = _joined(given["text/html"])
    if output["output_type"] == "execute_result":
        made["execution_count"] = output["execution_count"]
    return made


def _joined(value: Any) -> str:
    return "".join(value) if isinstance(value, list) else str(value)


def _refuse_addresses(cell: Cell, output: dict[str, Any]) -> None:
    for text in [output.get("text", ""), *(output.get("data", {}).get(kind, "") for kind in TEXT)]:
        if found := _ADDRESS.search(text):
            mend = "Another run gives another one; print what matters, or end the line with a semicolon."
            raise cell.error(f"cell {cell.id} shows an object's address ({found[0]})", mend)
