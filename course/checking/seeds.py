"""Seeds: a student's own data, and the inputs an answer is judged on."""

from __future__ import annotations

import hashlib

import numpy as np


def seed(*parts: str | int) -> int:
    """A 128-bit seed from the parts; another order or another cut gives another seed."""
    text = "\x1f".join(f"{len(str(part))}:{part}" for part in parts)
    return int.from_bytes(hashlib.sha256(text.encode("utf-8")).digest()[:16], "big")


def variant_seed(build: str, exercise: str, student: str) -> int:
    """Public: a student's data stay the same from day to day."""
    return seed("variant", build, exercise, student)


def judging_seeds(build: str, exercise: str, student: str, attempt: int, secret: str) -> tuple[int, int]:
    """Two seeds of fresh inputs; nobody without the secret can foretell them."""
    return (
        seed("judge", build, exercise, student, attempt, secret, 0),
        seed("judge", build, exercise, student, attempt, secret, 1),
    )


def generator(number: int) -> np.random.Generator:
    """The random generator of a seed."""
    return np.random.Generator(np.random.PCG64(number))
