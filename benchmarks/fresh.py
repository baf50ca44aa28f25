"""What needs a process of its own: imports, memory, a very long chain.

`python -m benchmarks.fresh what engine` prints one number, or the name of the error that it ended in.
"""

import importlib
import json
import os
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.machine import one_thread

ROOT = Path(__file__).resolve().parents[1]
LIBRARY = {"ours": "autodiff.tensors", "mygrad": "mygrad", "autograd": "autograd.numpy", "torch": "torch"}
Figure = float | str  # or the name of the error


def import_time(engine: str) -> float:
    """Milliseconds of CPU over NumPy's own, until arrays can be differentiated."""
    import numpy as np  # noqa: F401 - its own time doesn't count

    start = time.process_time()
    importlib.import_module(LIBRARY[engine])
    return 1e3 * (time.process_time() - start)


def chain(engine: str, n: int = 1_000_000) -> float:
    """Microseconds an operation: y = y·1.0000001, y = y + 1e-9, and so on; then the gradient."""
    start = time.process_time()
    slope = {"hand": _chain_by_hand, "ours": _chain_of_scalars, "micrograd": _chain_of_values}[engine](n)
    used = time.process_time() - start
    if abs(slope / 1.0000001 ** (n // 2) - 1.0) > 1e-7:
        raise ArithmeticError(f"{engine} gives a slope of {slope}")
    return 1e6 * used / n


def _lengthen(y: Any, n: int) -> Any:
    for _ in range(n // 2):
        y = y * 1.0000001
        y = y + 1e-9
    return y


def _chain_by_hand(n: int) -> float:
    _lengthen(1.0, n)
    g = 1.0
    for _ in range(n // 2):
        g = g * 1.0000001
    return g


def _chain_of_scalars(n: int) -> float:
    from autodiff import Scalar

    return _lengthen(Scalar(1.0, name="x"), n).grad()["x"]


def _chain_of_values(n: int) -> float:
    from micrograd.engine import Value

    x = Value(1.0)
    _lengthen(x, n).backward()
    return x.grad


def tanh_memory(engine: str, layers: int = 1000, n: int = 100_000) -> float:
    return _buffers(engine, lambda m, x, y, layers: _repeat(m.tanh, x, layers), layers, n)


def add_memory(engine: str, layers: int = 1000, n: int = 100_000) -> float:
    return _buffers(engine, lambda m, x, c, layers: _repeat(lambda y: y + c, x, layers), layers, n)


def _repeat(f: Callable[[Any], Any], x: Any, times: int) -> Any:
    for _ in range(times):
        x = f(x)
    return x


def _buffers(engine: str, deepen: Callable[..., Any], layers: int, n: int) -> float:
    """The most memory in use during one gradient, in arrays a layer; tracemalloc sees NumPy's."""
    import numpy as np

    from benchmarks.engines import installed
    from benchmarks.problem import Problem

    def loss(m: Any, variables: Any, constants: Any) -> Any:
        return deepen(m, *variables, *constants, layers).sum()

    (used,) = [each for each in installed(False, [engine]) if each.name == engine]
    data = [np.linspace(-1.0, 1.0, n)], [np.full(n, 0.5)]
    run = used.prepare(Problem(loss, lambda *_: (0.0, []), *data))
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    run()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return (peak - before) / (8.0 * n * layers)


class Fresh(NamedTuple):
    """`asked` is in `unit`; the median of `times` processes counts."""

    title: str
    measure: Callable[..., float]
    unit: str
    asked: float
    engines: tuple[str, ...]
    times: int = 5


# An engine that is missing takes minutes (S3: MyGrad, autograd), or tracemalloc can't see its memory (torch).
FRESH = {
    "S3": Fresh("chain of 1e6 scalars", chain, "µs an operation", 2.5, ("hand", "ours", "micrograd")),
    "memory-tanh": Fresh(
        "1000 × tanh on 1e5", tanh_memory, "arrays a layer", 1.0, ("ours", "mygrad", "autograd"), 1
    ),
    "memory-add": Fresh(
        "1000 × (y + c) on 1e5", add_memory, "arrays a layer", 0.0, ("ours", "mygrad", "autograd"), 1
    ),
    "import": Fresh("over NumPy's own", import_time, "ms", 40.0, ("ours", "mygrad", "autograd", "torch")),
}


def figure(name: str, engine: str) -> Figure | None:
    """The median of fresh processes, after one that warms up files; None where the library is missing."""
    found = []
    # Where Python is told not to write compiled files, each import would compile ours again.
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    for k in range(FRESH[name].times + 1):
        command = [sys.executable, "-m", "benchmarks.fresh", name, engine]
        told = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        if told.returncode:
            raise RuntimeError(f"{name} of {engine} failed:\n{told.stderr}")
        number = json.loads(told.stdout)
        if not isinstance(number, float):
            return None if number == "ModuleNotFoundError" else str(number)
        if FRESH[name].times == 1:
            return number
        if k:
            found.append(number)
    return statistics.median(found)


def main(name: str, engine: str) -> None:
    one_thread()
    try:
        print(json.dumps(FRESH[name].measure(engine)))
    except (RecursionError, ModuleNotFoundError) as problem:
        print(json.dumps(type(problem).__name__))


if __name__ == "__main__":
    main(*sys.argv[1:])
