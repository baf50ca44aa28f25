"""Small graphs that the drawing tests share, and a way of looking into an SVG."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable

import pytest

from autodiff.drawing import tiers
from autodiff.scalar import Scalar

Texts = Counter[tuple[str, ...]]


def line() -> Scalar:
    return Scalar(1.0, name="a") * Scalar(2.0, name="b") + 1


def diamond() -> Scalar:
    x = Scalar(2.0, name="x")
    u = x * 3
    return u.sin() * (u + 1)


def square() -> Scalar:
    x = Scalar(3.0, name="x")
    return x * x


def skip() -> Scalar:
    x = Scalar(2.0, name="x")
    return x.exp().sin() + x


def regression() -> Scalar:
    b, w = Scalar(15.0, name="b"), Scalar(2.0, name="w")
    errors = [b + w * x - y for x, y in ((-1.0, 5.2), (0.5, 12.0), (3.0, 24.7))]
    return (errors[0] * errors[0] + errors[1] * errors[1] + errors[2] * errors[2]) * (1 / 3)


def leaf() -> Scalar:
    return Scalar(3.0, name="x")


def constants() -> Scalar:
    return 2 - Scalar(5.0)


GRAPHS = {
    "line": line,
    "diamond": diamond,
    "square": square,
    "skip": skip,
    "regression": regression,
    "leaf": leaf,
    "constants": constants,
}


@pytest.fixture
def graph() -> Callable[[str], Scalar]:
    return lambda name: GRAPHS[name]()


@pytest.fixture
def node_texts() -> Callable[[str], Texts]:
    """The lines of each node of an SVG, whoever drew it."""

    def look(svg: str) -> Texts:
        space = "{http://www.w3.org/2000/svg}"
        return Counter(
            tuple(text.text or "" for text in group.iter(f"{space}text"))
            for group in ET.fromstring(svg).iter(f"{space}g")
            if "node" in group.get("class", "").split()
        )

    return look


@pytest.fixture
def use_tier(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Pick a tier, or skip the test where it can't be had."""

    def use(tier: str) -> None:
        if tier != "own" and tiers.find_tool(tier) is None:
            pytest.skip(f"{tier} is not on this machine: {tiers.HOW_TO_GET[tier]}")
        monkeypatch.setenv(tiers.VARIABLE, tier)

    return use


@pytest.fixture(autouse=True)
def _no_tier_picked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(tiers.VARIABLE, raising=False)
