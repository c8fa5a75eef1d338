"""Data of one robot's turns, as one object for compiled code.

Handing constants, memory and state over array by array takes four times as long as a turn.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from navigate.controller import take_turn
from navigate.memory import Memory, State, Task
from navigate.parameters import Parameters
from sbot_common.compiled.jit import njit
from sbot_common.compiled.structures import Structure, define_structure

Floats = NDArray[np.float64]


class TurnRecord(Structure):
    """Constants, state, memory, the followers waited for, and the directions of the beams.

    Made of what ``controller.take_turn`` takes under the same names.
    """

    def __new__(cls, parameters: Parameters, state: State, memory: Memory,  # noqa: D102
                followers: NDArray[np.int64], beams: Floats) -> Any:  # noqa: ANN401
        return _make_record(parameters, state, memory, followers, beams)


define_structure(TurnRecord, ['parameters', 'state', 'memory', 'followers', 'beams'])


@njit
def _make_record(parameters: Parameters, state: State, memory: Memory,
                 followers: NDArray[np.int64], beams: Floats) -> Any:  # noqa: ANN401
    return TurnRecord(parameters, state, memory, followers, beams)


@njit
def state_of(record: TurnRecord) -> State:
    """Return the state after the last turn."""
    return record.state  # type: ignore[no-any-return]


@njit
def turn(record: TurnRecord, task: Task, poses: Floats, ranges: NDArray[np.float32],
         scan_yaw: float, forward: float, left: float, dt: float) -> tuple[float, float]:
    """Take a turn by ``controller.take_turn``; return linear.x (m/s), angular.z (rad/s)."""
    record.state, v, omega = take_turn(
        record.parameters, record.state, record.memory, task, record.followers, poses, ranges,
        record.beams, scan_yaw, forward, left, dt)
    return v, omega
