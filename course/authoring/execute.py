"""Run a lesson: a kernel of its own, a fixed seed, outputs cleaned, an error told with its line."""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
from copy import deepcopy
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode
from traitlets.config import Config

from course.authoring.errors import BuildError
from course.authoring.outputs import keep
from course.authoring.percent import Cell

TIMEOUT = 120  # seconds for one cell
SIZE_LIMIT = 300_000  # bytes of a committed notebook
# before the first cell and not in the notebook: whoever forgets to seed gets the same numbers each time
_SEED = "import random; random.seed(0); import numpy; numpy.random.seed(0); del random, numpy"
_ENVIRONMENT = {
    "PYTHONHASHSEED": "0",
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NO_COLOR": "1",
    "TZ": "UTC",
}


def execute(notebook: NotebookNode, cells: list[Cell]) -> NotebookNode:
    """Run the notebook in place and keep what is to be committed; `cells` are its sources, in order."""
    metadata = deepcopy(notebook["metadata"])
    with tempfile.TemporaryDirectory() as folder:
        try:
            asyncio.run(_run(notebook, Path(folder)))
        except CellExecutionError as problem:
            raise _located(notebook, cells, problem) from problem
        except (CellTimeoutError, DeadKernelError) as problem:
            raise _stuck(notebook, cells, problem) from problem
    notebook["metadata"] = metadata  # without the version of Python that nbclient adds
    for made, cell in zip(notebook["cells"], cells, strict=True):
        if cell.type == "code":
            kept = keep(cell, made["outputs"])
            made["outputs"] = [nbformat.from_dict(output) for output in kept]  # type: ignore[no-untyped-call]
    return notebook


async def _run(notebook: NotebookNode, folder: Path) -> None:
    client = NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=TIMEOUT,
        record_timing=False,
        extra_arguments=["--HistoryManager.enabled=False"],
        resources={"metadata": {"path": str(folder)}},
        config=_transport(folder),
    )

    async def seed(**_: object) -> None:
        if client.kc is not None:  # it's there once the kernel is
            await client.async_wait_for_reply(client.kc.execute(_SEED, silent=True, store_history=False))

    client.on_notebook_start = seed
    await client.async_execute(env=_environment(folder))


def refuse_large(name: str, text: str, cells: list[Cell], notebook: NotebookNode) -> None:
    """BuildError for an executed lesson that's too large to commit; it names the cell that weighs most."""
    size = len(text.encode())
    if size <= SIZE_LIMIT:
        return
    weights = [len(str(made.get("outputs", ""))) for made in notebook["cells"]]
    cell = cells[weights.index(max(weights))]
    raise cell.error(
        f"{name} has {size // 1000} kB, at most {SIZE_LIMIT // 1000} are wanted; cell {cell.id} has the most",
        "Make its figures smaller (figsize, dpi), or show fewer.",
    )


def _transport(folder: Path) -> Config:
    if os.name == "nt":
        return Config()
    # sockets in a folder of its own: no open port, and none needed
    return Config({"KernelManager": {"transport": "ipc", "ip": str(folder / "kernel")}})


def _environment(folder: Path) -> dict[str, str]:
    # IPYTHONDIR: no profile of the author's own, which might change figures or colours
    return {**os.environ, **_ENVIRONMENT, "IPYTHONDIR": str(folder / "ipython")}


def _located(notebook: NotebookNode, cells: list[Cell], problem: CellExecutionError) -> BuildError:
    for made, cell in zip(notebook["cells"], cells, strict=True):
        for output in made.get("outputs", []):
            if output["output_type"] == "error":
                trace = re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(output["traceback"]))
                own = re.findall(r"Cell In\[\d+\], line (\d+)", trace)
                line = cell.first_line + int(own[-1]) - 1 if own else cell.line
                found = f"cell {cell.id} raised {output['ename']}: {output['evalue']}"
                return cell.error(found, "Run the lesson's file to see where.", line)
    return BuildError(f"{cells[0].path}: a cell failed: {problem.ename}: {problem.evalue}")


def _stuck(notebook: NotebookNode, cells: list[Cell], problem: Exception) -> BuildError:
    pairs = [(m, c) for m, c in zip(notebook["cells"], cells, strict=True) if c.type == "code"]
    begun = [cell for made, cell in pairs if made["execution_count"] is not None]
    cell = begun[-1] if begun else pairs[0][1]
    found = f"cell {cell.id} did not come to an end ({type(problem).__name__})"
    return cell.error(found, f"A cell has {TIMEOUT} s and this machine's memory; make its problem smaller.")
