"""The `course` command: a table of verbs, each a module that is imported when its verb is called.

A verb joins with one line in EVERY_VERB: what it does, and the function `main(argv) -> exit code` behind it.
A student's release holds some of the modules, and offers just their verbs. Standard library only;
bootstrap.py reads the table before anything is installed.
"""

from __future__ import annotations

import argparse
import difflib
import importlib
import os
import sys
from collections.abc import Sequence
from importlib import resources

from course import console

EVERY_VERB: dict[str, tuple[str, str]] = {
    "build": ("build the notebooks from the units' sources; --check compares", "course.authoring.build:main"),
    "check": ("check your answers to a unit's exercises, in a terminal", "course.check:main"),
    "demo": ("fit a line with Scalar, and see the graph and its gradients", "course.demo:main"),
    "doctor": ("what is installed, what is missing, and how to get it", "course.doctor:main"),
    "grade": ("grade a folder of submissions: gradebook, feedback, dashboard", "course.grading.grade:main"),
    "new-exercise": (
        "an exercise that validates, to be rewritten where it says TODO",
        "course.new_exercise:main",
    ),
    "release": (
        "what students are handed, in a folder: searched for solutions",
        "course.release.command:main",
    ),
    "similarity": (
        "which submissions are alike, and where: pairs, no verdict",
        "course.similarity.command:main",
    ),
    "start": ("copy the notebooks to work/ and open JupyterLab", "course.start:main"),
    "test": ("run the tests of this checkout; arguments go to pytest", "course.testing:main"),
    "validate": ("every exercise against its named wrong solutions", "course.validate:main"),
}


def is_here(target: str) -> bool:
    """Whether the module of `module:function` is part of this installation; it isn't imported."""
    package, *inner = target.partition(":")[0].split(".")
    home, path = resources.files(package), "/".join(inner)
    return any(home.joinpath(name).is_file() for name in (f"{path}.py", f"{path}/__init__.py"))


VERBS = {verb: row for verb, row in EVERY_VERB.items() if is_here(row[1])}

USAGE_ERROR, INTERRUPTED, BROKEN_PIPE = 2, 130, 141


def verb_list() -> str:
    """The verbs and what each does, one a line."""
    width = max(map(len, VERBS))
    return "\n".join(f"  {verb:<{width}}  {what}" for verb, (what, _) in VERBS.items())


def main(argv: Sequence[str] | None = None) -> int:
    """Run one verb: its exit code; 2 for wrong usage, 130 when interrupted."""
    console.prepare()
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        code = _run(arguments)
        sys.stdout.flush()  # a reader that has gone is noticed here, not at exit
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing is left to fail at exit
        return BROKEN_PIPE
    return code


def _run(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="course",
        usage="course VERB [arguments]",
        description="The autodiff course kit.",
        epilog=f"verbs:\n{verb_list()}\n\n`course VERB --help` tells what a verb takes.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    parser.add_argument("verb", nargs="?", help=argparse.SUPPRESS)
    told = parser.parse_args(arguments[:1])
    if told.version:
        from autodiff import __version__

        print(f"course {__version__}")
        return 0
    if told.verb is None:
        parser.print_help()
        return 0
    if told.verb not in VERBS:
        parser.error(_unknown(told.verb))
    module, function = VERBS[told.verb][1].split(":")
    code: int = getattr(importlib.import_module(module), function)(arguments[1:])
    return code


def _unknown(verb: str) -> str:
    close = difflib.get_close_matches(verb.lower(), VERBS, n=1, cutoff=0.5)
    hint = f" Did you mean {close[0]}?" if close else ""
    return f"{verb!r} is no verb; there are {', '.join(VERBS)}.{hint}"


if __name__ == "__main__":
    sys.exit(main())
