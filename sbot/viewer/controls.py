"""Controls of a live run: the page pauses and steps it, and drives a robot."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Collection
from typing import Protocol

from sbot_common.errors import InputError, bad_value
from sbot_common.twist import STOP, Twist

HOLD_TIME = 0.5  # s of wall time that a drive command counts; pages repeat it while a key is held
MOST_BYTES = 1000  # of a request
_FASTEST = 1e6  # m/s, rad/s; of a request


class Controls(Protocol):
    """Controls that a live run offers its page; an InputError says why a request is refused."""

    def pause(self, on: bool) -> None:
        """Pause between two ticks, or resume."""

    def step(self) -> None:
        """Go one tick on, while paused."""

    def drive(self, robot: int, command: Twist) -> None:
        """Drive a robot for ``HOLD_TIME``."""


class Driven:
    """Drive commands of the page, for a short time each; of any thread.

    A page that closes while a key is held says nothing more: its robot stops by itself.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._commands: dict[int, tuple[Twist, float]] = {}

    def set(self, robot: int, command: Twist, drivable: Collection[int]) -> None:
        """Drive a robot from now on.

        Raises
        ------
        InputError
            if the robot is not one of those that can be driven.

        """
        if robot not in drivable:
            raise InputError(f'robot {robot} cannot be driven; it needs controller: none')
        with self._lock:
            self._commands[robot] = command, self._clock() + HOLD_TIME

    def commands(self) -> dict[int, Twist]:
        """Return the command of each robot that was ever driven; STOP once its time is over."""
        now = self._clock()
        with self._lock:
            return {robot: command if now < until else STOP
                    for robot, (command, until) in self._commands.items()}


def apply_command(raw: bytes, controls: Controls) -> None:
    """Execute a request of the page.

    Parameters
    ----------
    raw : JSON: {"pause": true}, {"step": true} or {"drive": [robot, m/s, rad/s]}
    controls : of the run

    Raises
    ------
    InputError
        if it is none of these, or the run refuses it.

    """
    try:
        request = json.loads(raw)
    except ValueError:  # UnicodeDecodeError is one
        raise InputError('request: not JSON') from None
    except RecursionError:
        raise InputError('request: nested too deeply') from None
    match request:
        case {'pause': bool(on), **rest} if not rest:
            controls.pause(on)
        case {'step': True, **rest} if not rest:
            controls.step()
        case {'drive': [int(robot), int() | float() as v, int() | float() as omega], **rest} if (
                not rest and not isinstance(robot, bool) and _is_finite(v) and _is_finite(omega)):
            controls.drive(robot, Twist(float(v), omega=float(omega)))
        case _:
            raise bad_value('request', request, '{"pause": true}, {"step": '
                            'true} or {"drive": [robot, m/s, rad/s]}')


def _is_finite(value: float) -> bool:
    return not isinstance(value, bool) and abs(value) < _FASTEST  # false for NaN
