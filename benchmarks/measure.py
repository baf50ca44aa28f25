"""Agreement first, then time: all engines in one process, taking turns, each beside the hand-written code."""

import gc
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.engines import Engine, NotOfferedError
from benchmarks.problem import Answer, Problem

TOLERANCE = 1e-7
SLOT = 0.02  # seconds that a turn should last: far above what the clock resolves

Run = Callable[[], Answer]


class DisagreementError(Exception):
    """An engine answers something else than the hand-written code, so its time means nothing."""


def agreed(problem: Problem, engines: Sequence[Engine]) -> tuple[dict[str, Run], dict[str, str]]:
    """What to time for each engine, and why there is nothing for others. The first engine is by hand.

    All that are timed have answered the same; DisagreementError where one doesn't.
    """
    right = engines[0].prepare(problem)()
    runs, failed = {engines[0].name: engines[0].prepare(problem)}, {}
    for engine in engines[1:]:
        try:
            answer = engine.prepare(problem)()
        except NotOfferedError:
            failed[engine.name] = "none"
        except RecursionError:
            failed[engine.name] = "RecursionError"
        else:
            if worst := _difference(answer, right):
                raise DisagreementError(
                    f"{engine.name} is off by {worst:.1e} (relative to the largest entry)"
                )
            runs[engine.name] = engine.prepare(problem)
    return runs, failed


def _difference(answer: Answer, right: Answer) -> float:
    """The largest relative difference, or 0.0 if all are within the tolerance."""
    pairs = [(answer[0], right[0]), *zip(answer[1], right[1], strict=True)]
    worst = 0.0
    for given, wanted in pairs:
        given, wanted = np.asarray(given, dtype=float), np.asarray(wanted, dtype=float)
        if given.shape != wanted.shape:
            return np.inf
        error = np.abs(given - wanted).max(initial=0.0) / max(1e-300, np.abs(wanted).max(initial=0.0))
        worst = max(worst, float(error))
    return worst if not worst <= TOLERANCE else 0.0


def run_in_memory() -> None:
    """Let the C library keep freed memory, as it does in any program that once had a large array.

    In a young process glibc hands each freed array back to the system, and the page faults that follow
    cost more than what is measured; one large array that comes and goes raises its threshold.
    """
    np.empty(30_000_000, np.uint8)


def ratios(runs: Mapping[str, Run], rounds: int, budget: float) -> tuple[float, dict[str, float]]:
    """Seconds by hand, and for each other engine the median of its ratio to the hand-written code.

    A ratio is taken within a round, so that a machine that slows down slows both. An engine leaves once it
    has used `budget` seconds, but is measured at least once.
    """
    run_in_memory()
    counts = {name: _repeats(run) for name, run in runs.items()}
    (hand, *others), spent = list(runs), dict.fromkeys(runs, 0.0)
    by_hand: list[float] = []
    found: dict[str, list[float]] = {name: [] for name in others}
    for k in range(rounds):
        turn = [name for name in others if spent[name] < budget]
        if others and not turn:
            break
        turn = turn[k % len(turn) :] + turn[: k % len(turn)] if turn else turn  # nobody is always last
        by_hand.append(_timed(runs[hand], counts[hand]))
        for name in turn:
            seconds = _timed(runs[name], counts[name])
            spent[name] += seconds * counts[name]
            found[name].append(seconds / by_hand[-1])
    return statistics.median(by_hand), {name: statistics.median(r) for name, r in found.items()}


def _repeats(run: Run) -> int:
    """How often to call in one turn; also warms up."""
    seconds = min(_timed(run, 1) for _ in range(2))
    return max(1, round(SLOT / max(seconds, 1e-7)))


def _timed(run: Callable[[], Any], count: int) -> float:
    """CPU seconds a call. The collector starts clean, so that nobody sweeps up after the engine before."""
    gc.collect()
    start = time.process_time()
    for _ in range(count):
        run()
    return (time.process_time() - start) / count
