"""Tensor: an array that records how it was computed.

Needs operators.py (what can be written with it), backward.py (nodes and the pass) and primitive.py (rows,
whose calls arrive here). Adds `tensor()`, Tensor, and the entries that record a row's use. Read in U10.
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff.backward import Leaf, Node, ancestors, freed, propagate
from autodiff.entries import Recorded, as_array, binder
from autodiff.errors import GradientError, ImmutableError, OperandError, ShapeError
from autodiff.operators import QUICK, Operators
from autodiff.primitive import Array, Shape, register
from autodiff.threads import next_order

_ONE = np.float64(1.0)


class Tensor(Recorded, Operators):
    """An array that records how it was computed, so that gradients can be asked for.

    `tensor(...)` makes a leaf: a variable, whose `.grad` receives the gradient. Operators, NumPy's functions
    and those of `autodiff` make further ones. Integers, booleans and `constant=True` are never tracked.

    >>> w = tensor([1.0, 2.0])
    >>> loss = (w * w).sum()
    >>> loss.backward()
    >>> w.grad
    array([2., 4.])
    """

    __slots__ = ("__weakref__", "_name")

    _name: str | None

    def __init__(self, *args: Any, **options: Any) -> None:
        raise OperandError("make a tensor with tensor(data, name=…, constant=…): Tensor is its type")

    def __init_subclass__(cls) -> None:
        register(cls, bind)

    # --- what it holds -----------------------------------------------------------------------------

    @property
    def data(self) -> Array:
        """The array, read-only. On a leaf, `t.data = a` puts another in its place (an optimiser's step)."""
        view = np.asarray(self._data).view()
        view.flags.writeable = False
        return view

    @data.setter
    def data(self, new: ArrayLike) -> None:
        if self._node is not None and not self.is_leaf:
            raise ImmutableError(
                f"only a leaf's data can be replaced; this one was computed by {self._node.row.name}: "  # type: ignore[union-attr]
                "its gradient belongs to the value it has. Compute a new one, or use .detach()"
            )
        old = self._data
        given = np.array(as_array(new, "data"), dtype=old.dtype)
        if given.shape != old.shape:
            raise ShapeError(
                f"data of shape {given.shape} for a leaf of shape {old.shape}: shapes must agree"
            )
        self._data = given
        if isinstance(self._node, Leaf):
            self._node.changed = next_order()

    @property
    def shape(self) -> Shape:
        """The length of each axis."""
        shape: Shape = self._data.shape
        return shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of an entry."""
        dtype: np.dtype[Any] = self._data.dtype
        return dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self._data.shape)

    @property
    def size(self) -> int:
        """The number of entries."""
        return int(self._data.size)

    @property
    def constant(self) -> bool:
        """Whether no gradient is tracked."""
        return self._node is None

    @property
    def is_leaf(self) -> bool:
        """Whether a graph begins here (a constant counts)."""
        return self._node is None or self._node.row is None

    @property
    def name(self) -> str | None:
        """What pictures and messages call it."""
        if self._node is None:
            return getattr(self, "_name", None)
        return getattr(self._node, "name", None)

    @name.setter
    def name(self, name: str | None) -> None:
        if self._node is None:
            self._name = name
        elif name is None:
            if hasattr(self._node, "name"):
                del self._node.name
        else:
            self._node.name = name

    # --- gradients ---------------------------------------------------------------------------------

    @property
    def grad(self) -> Array | None:
        """What backward calls have brought to this leaf so far; None before the first, and elsewhere."""
        grad: Array | None = getattr(self._node, "grad", None)
        return grad

    @grad.setter
    def grad(self, new: ArrayLike | None) -> None:
        if not isinstance(self._node, Leaf):
            raise GradientError("only a tracked leaf has .grad; use autodiff.gradients for other values")
        if new is not None:
            new = np.array(as_array(new, "grad"), dtype=self.dtype)
            if new.shape != self.shape:
                raise ShapeError(f"grad of shape {new.shape} for a leaf of shape {self.shape}")
        self._node.grad = new

    def zero_grad(self) -> None:
        """Forget the gradient gathered so far."""
        self.grad = None

    def backward(self, g: ArrayLike | None = None, keep_graph: bool = False) -> None:
        """Add d(Σ g·self)/d(leaf) to `.grad` of every leaf behind this value; then clear the graph.

        `g` has this value's shape; for a single number it may be left out (1). Each node is served once.
        Errors: GradientError (a constant; no g for several entries), ShapeError, FreedGraphError (a second
        pass without `keep_graph=True` before it).
        """
        root = self._node
        if root is None:
            raise untracked(self, "backward")
        if root.kept is None:
            raise freed(root)
        start = upstream(self, np.asarray(g) if isinstance(g, Tensor) else g)  # refused if tracked
        nodes = ancestors(root)
        found = propagate(root, start, nodes, free=not keep_graph)
        for leaf, gradient in found.items():
            if gradient is not None and isinstance(leaf, Leaf):
                leaf.grad = gradient if leaf.grad is None else np.asarray(leaf.grad + gradient)

    def detach(self) -> Tensor:
        """The same values as a constant: no gradient passes here."""
        return make(self._data, None)

    # --- as an array -------------------------------------------------------------------------------

    def item(self) -> float:
        """The only entry, as a Python number."""
        return self._data.item()  # type: ignore[no-any-return]

    def tolist(self) -> Any:
        """The entries as (lists of) Python numbers."""
        return self._data.tolist()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        if self._node is not None:
            raise OperandError(
                f"{self._brief()} is tracked: as a plain array its gradient would be lost without a word. "
                "Use .detach() (or .data, .item()) for its values, np.stack([t, u]) to join tensors"
            )
        return np.array(self.data, dtype=dtype, copy=copy)

    def _plain(self, what: str) -> Any:
        if self._node is not None:
            raise OperandError(
                f"{what}({self._brief()}) would lose its gradient without a word. Use .item() for the number"
            )
        return self._data

    def __float__(self) -> float:
        return float(self._plain("float"))

    def __int__(self) -> int:
        return int(self._plain("int"))

    def __index__(self) -> int:
        return np.asarray(self._plain("index")).__index__()

    def __bool__(self) -> bool:
        return bool(self._data)

    def __len__(self) -> int:
        if not self.shape:
            raise OperandError("a Tensor of shape () has no length")
        return self.shape[0]

    def _brief(self) -> str:
        made = "" if self._node is None or self._node.row is None else f" by {self._node.row.name}"
        name = f" {self.name!r}" if self.name is not None else ""
        return f"the Tensor{name} of shape {self.shape}{made}"

    def __repr__(self) -> str:
        shape = "" if self.size else f", shape={self.shape}"  # no entry shows it
        text = np.array2string(np.asarray(self._data), separator=", ", prefix="Tensor(", threshold=20)
        dtype = "" if self.dtype == np.float64 else f", dtype={self.dtype}"
        name = "" if self.name is None else f", name={self.name!r}"
        how = ", constant=True" if self._node is None else ""
        if self._node is not None and self._node.row is not None:
            how = f", by {self._node.row.name}"
        return f"Tensor({text}{shape}{dtype}{name}{how})"

    def __format__(self, spec: str) -> str:
        return format(
            self._data.item() if spec and self.size == 1 else self._data if spec else repr(self), spec
        )

    def __reduce__(self) -> Any:
        if not self.is_leaf:
            raise GradientError(
                f"only a leaf or a constant can be copied or pickled; {self._brief()} hangs on its graph. "
                "Copy its values instead: tensor(t.data)"
            )
        return _rebuild, (type(self), np.array(self._data), self.name, self._node is None, self.grad)


def _rebuild(kind: type[Tensor], data: Array, name: str | None, constant: bool, grad: Array | None) -> Tensor:
    made = tensor(data, name=name, constant=constant)
    if grad is not None:
        made.grad = grad
    return made


def make(data: Any, node: Node | None, _new: Any = Tensor.__new__) -> Tensor:
    """A Tensor of `data` as it is, at `node` (None: a constant)."""
    t: Tensor = _new(Tensor)
    t._data = data
    t._node = node
    return t


def tensor(
    data: ArrayLike | Tensor,
    name: str | None = None,
    constant: bool = False,
    dtype: Any = None,
    copy: bool = True,
) -> Tensor:
    """A leaf: a variable that gradients are asked for, or with `constant=True` one that is never tracked.

    The array is copied; `copy=False` uses it as it is, and then nobody may change it. Integers and booleans
    are constants. Errors: OperandError for what isn't an array of real numbers.

    >>> tensor([1.0, 2.0], name="w")
    Tensor([1., 2.], name='w')
    """
    if isinstance(data, Tensor):
        data = data._plain("tensor") if data._node is not None and not data.is_leaf else data._data
    array = np.array(as_array(data, "tensor"), dtype=dtype, copy=True if copy else None)
    as_array(array, "tensor")
    t = make(array, None)
    t._name = None  # set, so that asking for it is quick
    if not constant and array.dtype.kind == "f":
        t._node = leaf = Leaf(array)
        leaf.owner = weakref.ref(t)
    if name is not None:
        t.name = name
    return t


def upstream(t: Tensor, g: Any) -> Any:
    """The gradient that a pass from `t` starts with: `g` in the shape and dtype of t, 1 for one number."""
    if g is None:
        if t.shape != ():
            raise GradientError(
                f"{t._brief()} is not a single number: of which entry is the gradient meant? Sum first "
                "(t.sum().backward()), or pass g, an array of its shape, for the gradient of Σ g·t"
            )
        return _ONE if t.dtype is _ONE.dtype else np.ones((), t.dtype)
    if isinstance(g, Tensor):
        given: Any = g
    else:
        given = np.array(as_array(g, "g"), dtype=t.dtype)
    if given.shape != t.shape:
        raise ShapeError(f"g has shape {given.shape}, {t._brief()}: the gradient of a value has its shape")
    return given


def untracked(t: Tensor, what: str) -> GradientError:
    """The error for asking a constant for gradients, with the likely reason."""
    if t.dtype.kind != "f":
        why = f"its dtype is {t.dtype}, and only floats are tracked: write tensor([1.0, 2.0]), not [1, 2]"
    else:
        why = "it is a constant, or was computed from constants or inside no_grad()"
    return GradientError(f"{what}: {t._brief()} is not tracked: {why}")


bind = binder(Tensor)
register(Tensor, bind)
for _name, _call in QUICK.items():  # straight to the entry: one Python call less, in most of what programs do
    setattr(Tensor, _name, _call.__dict__["row"].entries[Tensor])
