"""The master secret that judging inputs are drawn with: given, or made once per output folder."""

from __future__ import annotations

import ctypes
import os
import secrets
import sys
from pathlib import Path

VARIABLE = "COURSE_SECRET"


class SecretError(ValueError):
    """No secret can be had from where it was said to be."""


def master_secret(out: Path, file: Path | None = None) -> str:
    """From `file`, else from the environment (and taken out of it), else from OUT/secret, made if missing."""
    if file is not None:
        return _read(file)
    if given := take_from_environment():
        return given
    path = out / "secret"
    if not path.exists():
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w", encoding="ascii") as made:
            made.write(secrets.token_hex(32) + "\n")
    return _read(path)


def _read(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as problem:
        raise SecretError(f"the secret can't be read from {path}: {problem}") from problem
    if len(text) < 8:
        raise SecretError(f"the secret in {path} is too short ({len(text)} characters); use 8 or more")
    return text


def take_from_environment() -> str:
    """The secret of the environment, which forgets it.

    What a process was started with stays readable in /proc even after `del os.environ[...]`, so on Linux the
    bytes themselves are overwritten.
    """
    given = os.environ.get(VARIABLE, "")
    if not given:
        return ""
    if sys.platform == "linux":
        getenv = ctypes.CDLL(None).getenv
        getenv.restype = ctypes.c_void_p
        if place := getenv(VARIABLE.encode()):
            ctypes.memset(place, ord("x"), len(os.fsencode(given)))
    del os.environ[VARIABLE]
    if len(given) < 8:
        raise SecretError(f"{VARIABLE} is too short ({len(given)} characters); use 8 or more")
    return given
