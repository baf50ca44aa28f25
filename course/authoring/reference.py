"""docs/ops.md and the list of names for editors, made from the table of rows: written once, read there.

A rule's formula is read from the source where it stands, so the page can't say anything else.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from types import ModuleType

import autodiff
import autodiff.ops as rooms
from autodiff.ops import FUNCTIONS
from autodiff.primitive import TABLE, Row

HEAD = """# Operations

*Made from the rows in `autodiff/ops/` by `course build`; don't edit it by hand.*

Each row holds an operation and one rule for each operand. A rule takes the gradient `g` that arrives at the
result and gives the operand's; the engine sums it back to the operand's shape where that was stretched, and
casts it to the operand's dtype. `out` is the result. *Keeps* says what a node holds on to for its rules.
Forward mode needs no rules of its own: elementwise rows use these, linear rows apply themselves to the
tangent, the rest transpose their rule.

All of them are `autodiff.name(...)`; where NumPy has a function of that name, `np.name(t)` reaches it.
"""


def _modules() -> list[ModuleType]:
    """The rooms in reading order, as their imports say."""
    found = [
        each
        for each in vars(rooms).values()
        if inspect.ismodule(each) and each.__name__.startswith("autodiff.ops.")
    ]
    uses = {
        each.__name__: set(re.findall(r"from (autodiff\.ops\.\w+) import", inspect.getsource(each)))
        for each in found
    }

    def depth(name: str) -> int:
        return 1 + max((depth(other) for other in uses.get(name, ())), default=0)

    return sorted(found, key=lambda each: (depth(each.__name__), each.__name__))


def _formulas(module: ModuleType) -> dict[str, dict[str, str]]:
    """For each row declared in the module, its rules as they are written: {row: {operand: formula}}."""
    written: dict[str, dict[str, str]] = {}
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            rules = {each.arg: each.value for each in node.keywords if each.arg}
            if len(node.args) > 3:
                rules["each"] = node.args[3]
            written[str(node.args[0].value)] = {k: _formula(v) for k, v in rules.items()}
    return written


def _formula(value: ast.expr) -> str:
    return ast.unparse(value.body if isinstance(value, ast.Lambda) else value)


def _keeps(row: Row) -> str:
    front = ("operands", "likes") if row.is_variadic else row.operands
    names = [*front, "out"]
    asked = sorted(frozenset().union(*row.needs)) if row.needs else []
    kept = [
        f"shape of {names[k]}" if names[k] in row.like or names[k] == "likes" else names[k]
        for k in asked
        if k < len(names)
    ]
    return ", ".join(kept) or "nothing"


def _table(module: ModuleType) -> Iterator[str]:
    formulas = _formulas(module)
    yield "| name | sign | rules | keeps | kind |"
    yield "|---|---|---|---|---|"
    for row in TABLE.values():
        if row.call.__module__ != module.__name__:
            continue
        written = formulas.get(row.name, {})
        rules = "<br>".join(
            f"{operand}: `{written.get(operand, '?')}`" if rule else f"{operand}: none"
            for operand, rule in row.rules.items()
        )
        options = f"({', '.join(row.options)})" if row.options else ""
        yield (
            "| "
            + " | ".join(
                each.replace("|", "\\|")
                for each in (f"`{row.name}`{options}", row.symbol, rules, _keeps(row), row.kind)
            )
            + " |"
        )


def _composed(module: ModuleType) -> str:
    own = {name for name, each in FUNCTIONS.items() if each.__module__ == module.__name__} - set(TABLE)
    lead = "Answer with arrays" if module is rooms.values else "Composed from rows"
    return f"{lead}: {', '.join(f'`{name}`' for name in sorted(own))}." if own else ""


def page() -> str:
    """The text of docs/ops.md."""
    parts = [HEAD]
    for module in _modules():
        title = (inspect.getdoc(module) or "").splitlines()[0].rstrip(".")
        rows = list(_table(module))
        parts += [f"## {module.__name__.rpartition('.')[2]}: {title[0].lower()}{title[1:]}\n"]
        parts += ["\n".join(rows) + "\n"] if len(rows) > 2 else []
        parts += [_composed(module) + "\n"] if _composed(module) else []
    return "\n".join(parts)


def stub() -> str:
    """The text of autodiff/__init__.pyi: each public name and the file it comes from."""
    homes = {name: (f"autodiff.{home}", name) for name, home in autodiff._HOMES.items()}
    made = []
    for name, function in FUNCTIONS.items():
        module = sys.modules[function.__module__]
        if not module.__name__.startswith("autodiff."):
            continue  # a user's own
        own = name if getattr(module, name, None) is function else function.__name__
        if hasattr(module, own):
            homes[name] = module.__name__, own
        else:
            made.append(f"def {name}(*args: Any, **options: Any) -> Any: ...")
    lines = sorted(f"from {home} import {own} as {name}" for name, (home, own) in homes.items())
    head = "from typing import Any\n"
    return "\n".join([head, *lines, "", *sorted(made), "", "__version__: str", "_HOMES: dict[str, str]", ""])


def pages() -> dict[str, str]:
    """The made files, by path."""
    return {"docs/ops.md": page(), "autodiff/__init__.pyi": stub()}
