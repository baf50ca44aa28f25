"""The bundled data sets: real numbers to fit, read from the package itself, never from the network.

Needs NumPy only. Adds `load`. Used from U7 on; sources and licences stand in DATA_LICENSES.md.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

NAMES = ("engel", "norris")
__all__ = ["NAMES", "DataSet", "load"]


@dataclass(frozen=True, eq=False)
class DataSet:
    """The columns of one table, each a float64 array of shape (rows,), and what is certified about them.

    `data["x"]` is a column; KeyError for a name that isn't one. `certified` holds the published values of
    the straight-line fit where there are any, else it is empty.
    """

    name: str
    columns: Mapping[str, NDArray[np.float64]]
    certified: Mapping[str, float]

    def __getitem__(self, column: str) -> NDArray[np.float64]:
        if column not in self.columns:
            raise KeyError(f"{self.name} has no column {column!r}; it has {', '.join(self.columns)}")
        return self.columns[column]

    def __repr__(self) -> str:
        rows = len(next(iter(self.columns.values())))
        return f"DataSet({self.name!r}: {rows} rows of {', '.join(self.columns)})"


def load(name: str) -> DataSet:
    """The data set called `name`, read afresh, so that changing its arrays changes nobody else's.

    ValueError for an unknown name.

    >>> engel = load("engel")
    >>> engel
    DataSet('engel': 235 rows of income, foodexp)
    >>> engel["income"].mean().round(2)
    np.float64(982.47)
    """
    if name not in NAMES:
        raise ValueError(f"there is no data set {name!r}; there are {', '.join(NAMES)}")
    folder = resources.files(__name__)
    header, *rows = (folder / f"{name}.csv").read_text(encoding="utf-8").splitlines()
    table = np.array([[float(cell) for cell in row.split(",")] for row in rows])
    columns = {title: table[:, k].copy() for k, title in enumerate(header.split(","))}
    values = folder / f"{name}.json"
    certified: dict[str, Any] = json.loads(values.read_text(encoding="utf-8")) if values.is_file() else {}
    return DataSet(name, columns, certified)
