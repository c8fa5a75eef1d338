"""Rate limiting of actions within the control loop (document 001, section 14)."""

from __future__ import annotations

import numpy as np

from sbot_common.compiled.jit import njit


@njit
def ticks_between(hz: float, loop_rate: float) -> int:
    """Return after how many turns something that happens at ``hz`` is due again; at least 1.

    The listing takes hz as a float: 0.2 Hz at 30 Hz are 149 turns, not 150 (docs/errata.md P4).
    A frequency that rounds to more than the loop rate is due at every turn.
    """
    return max(1, int(loop_rate / np.float64(np.float32(hz))))


@njit
def check_frequency(tick_counter: int, hz: float, loop_rate: float) -> bool:
    """Tell whether something that happens at ``hz`` is due, given the turns counted so far."""
    return tick_counter % ticks_between(hz, loop_rate) == 0
