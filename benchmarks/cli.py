"""The command: which workloads, which engines, how long; a table, and a file for whoever compares later."""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.engines import NAMES, Engine, installed
from benchmarks.fresh import FRESH, figure
from benchmarks.machine import describe
from benchmarks.measure import agreed, ratios
from benchmarks.problem import Workload
from benchmarks.report import Line, seconds, shown, table
from benchmarks.workloads import WORKLOADS


def main(argv: Sequence[str]) -> int:
    options = _parser().parse_args(argv)
    names = options.workloads or [*WORKLOADS, *FRESH]
    if unknown := [name for name in names if name not in WORKLOADS and name not in FRESH]:
        print(f"no workload {', '.join(unknown)}; there are {', '.join((*WORKLOADS, *FRESH))}")
        return 2
    engines = options.engines.split(",")
    if unknown := [name for name in engines if name not in NAMES]:
        print(f"no engine {', '.join(unknown)}; there are {', '.join(NAMES[1:])}")
        return 2
    machine, lines = describe(), []
    print("\n".join(f"{key:10} {value}" for key, value in machine.items()), end="\n\n")
    for name in names:
        measured = _fresh(name, engines) if name in FRESH else _timed(WORKLOADS[name], engines, options)
        for line in measured:
            lines.append(line)
            told = ", ".join(f"{engine} {shown(cell)}" for engine, cell in line.figures.items())
            print(f"{line.name} {line.size}: {told}", file=sys.stderr, flush=True)
    print(table(lines, NAMES))
    if options.json:
        record = {"machine": machine, "lines": [line.record() for line in lines]}
        options.json.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Loss and gradient of each workload, beside hand-written code; ratios of CPU time.",
    )
    parser.add_argument("workloads", nargs="*", help=f"all, or some of: {', '.join((*WORKLOADS, *FRESH))}")
    parser.add_argument("--engines", default=",".join(NAMES[1:]), help="default: %(default)s")
    parser.add_argument("--rounds", type=int, default=15, help="turns of each engine (default: 15)")
    parser.add_argument(
        "--budget", type=float, default=10.0, help="seconds for an engine on a workload (default: 10)"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures there")
    return parser


def _timed(workload: Workload, chosen: Sequence[str], options: argparse.Namespace) -> Iterator[Line]:
    engines: list[Engine] = installed(workload.scalar, chosen)
    for size, asked in workload.asked.items():
        runs, failed = agreed(workload.problem(size), engines)
        by_hand, figures = ratios(runs, options.rounds, options.budget)
        unit = "× by hand"
        cells = {each.name: figures.get(each.name) or failed[each.name] for each in engines[1:]}
        yield Line(workload.name, size, workload.title, unit, asked, seconds(by_hand), cells)


def _fresh(name: str, chosen: Sequence[str]) -> Iterator[Line]:
    fresh = FRESH[name]
    found = {engine: figure(name, engine) for engine in fresh.engines if engine in ("hand", *chosen)}
    by_hand = shown(found.pop("hand", None))
    cells = {engine: cell for engine, cell in found.items() if cell is not None}
    yield Line(name, "", fresh.title, fresh.unit, fresh.asked, by_hand, cells)
