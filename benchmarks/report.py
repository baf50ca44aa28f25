"""One line a workload: the hand-written code, each engine beside it, what is asked, met or short."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field

Cell = float | str


@dataclass
class Line:
    """Figures are ratios to the hand-written code where `unit` is "×"; texts are why there is none."""

    name: str
    size: str
    title: str
    unit: str
    asked: float
    hand: str
    figures: dict[str, Cell] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        ours = self.figures.get("ours")
        if not isinstance(ours, float):
            return "" if ours is None else "short"
        return "met" if ours <= self.asked + self.slack else "short"

    @property
    def slack(self) -> float:
        """Memory counts Python's own objects as well: up to a twentieth of an array a layer."""
        return 0.05 if self.unit == "arrays a layer" else 0.0

    def record(self) -> dict[str, object]:
        return {**asdict(self), "verdict": self.verdict}


def seconds(value: float) -> str:
    unit, scale = ("s", 1.0) if value >= 1.0 else ("ms", 1e3) if value >= 1e-3 else ("µs", 1e6)
    return f"{value * scale:.3g} {unit}"


def shown(cell: Cell | None) -> str:
    if cell is None:
        return "-"
    return cell if isinstance(cell, str) else f"{cell:.2f}" if cell < 100 else f"{cell:.0f}"


def table(lines: Sequence[Line], engines: Sequence[str]) -> str:
    used = [name for name in engines if any(name in line.figures for line in lines)]
    rows = [["", "size", "what", "by hand", *used, "asked", "", "unit"]]
    for line in lines:
        cells = [shown(line.figures.get(name)) for name in used]
        asked = f"≤ {line.asked:g}"
        rows.append([line.name, line.size, line.title, line.hand, *cells, asked, line.verdict, line.unit])
    return "\n".join(aligned(rows))


def aligned(rows: Sequence[Sequence[str]]) -> Iterable[str]:
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
