"""`course validate`: would the checks notice? Every exercise against its named answers.

Prints the kill matrix: which wrong solution is rejected by which family, and what it's called. Then what an
exercise lacks: wrong solutions, variants, hints, time to spare; and what is still marked TODO.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import course.units
from course.authoring.errors import BuildError
from course.authoring.sources import choose, find_units, read_sources
from course.console import paint, progress
from course.grading.unit import load_units
from course.release.bundle import holes
from course.standards import Finding, findings, leaked
from course.trials import Outcome, run_all, trials


def table(outcomes: Sequence[Outcome]) -> str:
    """The kill matrix: a row a trial, a column a family."""
    families = list(dict.fromkeys(f.name for o in outcomes for f in o.results[0].families))
    head = f"{'':<2}{'exercise':<16}{'answer':<26}{'points':>8}  {'  '.join(families)}  said"
    rows = [head, "-" * len(head)]
    for outcome in outcomes:
        trial, result = outcome.trial, outcome.results[0]
        by_name = {f.name: "✓" if f.status == "pass" else "✗" for f in result.families}
        marks = "  ".join(f"{by_name.get(name, ' '):<{len(name)}}" for name in families)
        said = result.mistake.name if result.mistake else result.status
        answer = f"{trial.kind} {trial.name}".strip()
        rows.append(
            f"{'✗ ' if outcome.faults else '  '}{trial.exercise.id:<16}{answer:<26}"
            f"{result.points:>8g}  {marks}  {said}"
        )
        rows += [f"    {paint(fault, 'red')}" for fault in outcome.faults]
    return "\n".join(rows)


def as_json(outcomes: Sequence[Outcome], found: Sequence[Finding], left: Sequence[str]) -> str:
    """The same for a machine: a row a trial, the findings, the places still to be written."""
    rows: list[dict[str, Any]] = [
        {
            "exercise": o.trial.exercise.id,
            "kind": o.trial.kind,
            "name": o.trial.name,
            "points": [result.points for result in o.results],
            "status": [result.status for result in o.results],
            "called": [result.mistake.name if result.mistake else "" for result in o.results],
            "families": [{f.name: f.status for f in result.families} for result in o.results],
            "faults": list(o.faults),
        }
        for o in outcomes
    ]
    told = {"trials": rows, "findings": [str(finding) for finding in found], "left_to_write": list(left)}
    return json.dumps(told, indent=1) + "\n"


def main(argv: list[str]) -> int:
    """Print the kill matrix and what is lacking; 0 when all is as it must be, 1 when not, 2 for usage."""
    parser = argparse.ArgumentParser(prog="course validate", description=__doc__.splitlines()[0])
    parser.add_argument("unit", nargs="*", help="the units to validate, as u05 (default: all)")
    parser.add_argument("-j", "--jobs", type=int, default=2, help="trials at a time (%(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the outcomes there as well")
    options = parser.parse_args(argv)
    try:
        folders = choose(find_units(Path(course.units.__path__[0])), options.unit)
        sources = [read_sources(folder) for folder in folders]
    except BuildError as problem:
        print(f"course validate: {problem}")
        return 1
    units = load_units(folder.name for folder in folders)
    total = sum(1 for unit in units for _ in trials(unit))
    with progress("validating", total) as advance:
        outcomes = run_all(units, options.jobs, advance)
    found = [*(f for unit in units for f in findings(unit, outcomes)), *leaked(sources)]
    left = [place for folder in folders for place in holes(folder)]
    print(table(outcomes))
    print(_summary(outcomes, found, left))
    if options.json:
        options.json.write_text(as_json(outcomes, found, left), encoding="utf-8")
    return 1 if found or any(o.faults for o in outcomes) else 0


def _summary(outcomes: Sequence[Outcome], found: Sequence[Finding], left: Sequence[str]) -> str:
    wrong = [o for o in outcomes if o.trial.kind == "wrong"]
    right = [o for o in outcomes if o.trial.kind == "right"]
    bad = [o for o in outcomes if o.faults]
    lines = [
        f"\n{len(wrong)} named wrong solutions, {len([o for o in wrong if not o.faults])} caught and named; "
        f"{len(right)} accepted variants, {len([o for o in right if not o.faults])} passed."
    ]
    if bad:
        lines.append(f"{len(bad)} of {len(outcomes)} answers were not judged as they must be (marked ✗).")
    lines += [paint(f"✗ {finding}", "red") for finding in found]
    if left:
        lines.append(f"{len(left)} places are still to be written; `course release` waits for them:")
        lines += [f"  {place}" for place in left]
    return "\n".join(lines)
