"""A batch of worlds as one object for compiled code, and the phases of a tick that work on it.

Handing a hundred arrays to a compiled function takes many microseconds; handing over one
structure that holds them takes one. A phase is a function of (first, end, batch) that works on the
worlds first … end-1. Each is compiled on its own when it is first needed, and called by address:
a tick is a list of addresses, so scenarios pay only for the phases they have.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from sbot_common.compiled import light_numba  # noqa: F401

# isort: split
import numba
import numpy as np
from numba import types
from numba.core.cgutils import ir
from numba.experimental import structref
from numba.extending import intrinsic
from numpy.typing import NDArray

from sbot_common.compiled.jit import borrowed, compiled_callback, njit
from sbot_sim.worlds.state import Setting, Worlds

Floats = NDArray[np.float64]
Addresses = NDArray[np.int64]


class Policy(NamedTuple):
    """What compiled controllers of K worlds of N robots work on (``sbot.worlds.policy``)."""

    inputs: Floats  # (K*N, I)
    outputs: Floats  # (K*N, O)
    memory: Floats  # (K*N, M) what a controller keeps from tick to tick
    weights: Floats  # (K, W)
    layers: NDArray[np.int64]  # (L,) numbers of neurons
    table: NDArray[np.int64]  # (kinds of inputs, 3) kind, first column, columns
    goal: Floats  # (K*N, 2) m
    limits: Floats  # (2,) greatest speed (m/s), and distance of wheels (m) or turn rate (rad/s)
    kept: Floats  # (ticks, K*N, columns) what is kept of each tick
    kept_columns: NDArray[np.int64]  # first column of each kind that can be kept; -1: none
    first_tick: NDArray[np.int64]  # (K,) that of the first row kept


def no_policy() -> Policy:
    """Return empty arrays, for worlds that Python commands."""
    none, nothing = np.zeros((0, 0)), np.zeros(0, np.int64)
    return Policy(none, none, none, none, nothing, np.zeros((0, 3), np.int64), none, np.zeros(2),
                  np.zeros((0, 0, 0)), nothing, nothing)


@structref.register
class _BatchType(types.StructRef):  # type: ignore[misc,name-defined]
    """Type of a ``Batch`` in compiled code."""


class Batch(structref.StructRefProxy):  # type: ignore[misc]
    """Setting, worlds and policy; it does not own their arrays: keep them alive as long."""

    def __new__(cls, setting: Setting, worlds: Worlds, policy: Policy) -> Any:  # noqa: ANN401, D102
        return _make_batch(setting, worlds, policy)


structref.define_proxy(Batch, _BatchType, ['setting', 'worlds', 'policy'])


@njit
def _make_batch(setting: Setting, worlds: Worlds, policy: Policy) -> Any:  # noqa: ANN401
    return Batch(borrowed(setting), borrowed(worlds), borrowed(policy))


class Phase:
    """A function of (first, end, batch), compiled when it is first needed."""

    def __init__(self, function: Callable[[int, int, Batch], None]) -> None:
        self.function = function
        self._compiled: Any = None

    def address(self, batch: Batch) -> int:
        """Return where its machine code is; all batches are of one type."""
        if self._compiled is None:
            signature = types.void(types.int64, types.int64, numba.typeof(batch))
            self._compiled = compiled_callback(signature, self.function)
        return int(self._compiled.address)


def addresses(phases: Sequence[Phase], batch: Batch) -> Addresses:
    """Return what ``run_phases`` takes."""
    return np.array([phase.address(batch) for phase in phases], np.int64)


@intrinsic  # type: ignore[untyped-decorator]
def _call(_: Any, address: Any, first: Any, end: Any, batch: Any) -> Any:  # noqa: ANN401
    """Call a phase by its address."""
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ANN401
        word = ir.IntType(64)
        function = ir.FunctionType(ir.VoidType(),
                                   [word, word, context.get_value_type(signature.args[3])])
        builder.call(builder.inttoptr(args[0], function.as_pointer()), args[1:])
        return context.get_dummy_value()
    return types.void(types.int64, types.int64, types.int64, batch), codegen


@njit
def run_phases(first: int, end: int, phases: Addresses, batch: Batch, ticks: int) -> None:
    """Run the phases in turn, as often as there are ticks, on the worlds first … end-1."""
    for _ in range(ticks):
        for address in phases:
            _call(address, first, end, batch)
