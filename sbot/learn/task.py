"""A task: what robots observe, how they are rewarded, and when they are done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from neural_controller.network import Network
from sbot.worlds.arguments import MOST_TICKS
from sbot.worlds.many import Worlds
from sbot.worlds.observation import Observations
from sbot_common.arguments import whole
from sbot_common.errors import InputError, bad_value

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_LONGEST = 1e9  # s, of an episode
MOVES = tuple((a, b) for a in (-1.0, 0.0, 1.0) for b in (-1.0, 0.0, 1.0))


class Moment(NamedTuple):
    """K worlds of N robots at a decision."""

    seen: Observations  # poses, contacts and readings of sensors, arrays (K, N, …)
    inputs: Floats  # (K, N, I) the task's inputs, as networks get them
    commands: Floats  # (K, N, 3) vx, vy (m/s), omega (rad/s) since the last decision
    goal: Floats  # (K, N, 2) m; NaN: none
    network: Network  # inputs, outputs and greatest speeds (of robot 0, if the task has none)
    dt: float  # s, length of a tick
    limits: Floats  # (N, 2) each robot's greatest speed (m/s), and distance of wheels or turn rate


class Task:
    """Base class of tasks; define ``reward``, and override other members if you need to.

    Methods compute values for K worlds of N robots at once. A task keeps no state during an
    episode.
    """

    inputs: tuple[str, ...] = ('infrared',)
    """Names of inputs (``neural_controller.inputs``), side by side in an observation."""
    senses: tuple[str, ...] = ()
    """Names of further sensors to simulate, as ``sbot.Worlds`` takes them."""
    outputs: str = 'wheels'
    """Meaning of the two actions in [-1, 1]: 'wheels', or 'twist' (speed and turn rate)."""
    max_speed: float | None = None
    """Greatest speed of a wheel or of the robot (m/s); None: that of each robot's wheels."""
    turn: float | None = None
    """Distance of the wheels (m) or turn rate (rad/s); None: that of each robot's wheels."""
    moves: tuple[tuple[float, float], ...] = MOVES
    """The two shares that each discrete action means (``discrete=True``)."""
    broadcast: int = 0
    """Number of bytes (0 to 9) that a robot broadcasts by range and bearing. An action then has as
    many more shares, and an observation includes the bytes that the robot hears (``heard``). Needs
    sensors.range_and_bearing."""
    randomise: Mapping[str, Sequence[float]] = {}
    """Ranges by key of a scenario, e.g. {'wind.wind_speed_mean': [0, 0.4]}. Before ``begin``, each
    episode draws values from them, uniformly. They may change in training (a curriculum)."""
    seconds: float = 60.0
    """Length of an episode (s)."""
    hold: int = 1
    """Ticks that an action lasts. ``sbot.save_network`` writes it to the network's file, so that
    robots drive as in training."""

    def begin(self, worlds: Worlds, world: int, rng: np.random.Generator) -> Floats | None:
        """Change a world before its episode, e.g. ``worlds.wind_velocity[world]``.

        Returns
        -------
        Start poses (N, 3) x, y (m), yaw (rad); None: those of scenario and seed.

        """
        return None

    def goals(self, worlds: Worlds, world: int, rng: np.random.Generator) -> Floats | None:
        """Draw goals for an episode; its robots start at ``worlds.start[world]`` (N, 3).

        Returns
        -------
        Goals (N, 2) m, or one (2,) for all; None: those of the scenario.

        """
        return None

    def observation(self, now: Moment) -> Floats:
        """Return the observations (K, N, columns): the inputs, and the bytes that robots hear."""
        if not self.broadcast:
            return now.inputs
        return np.concatenate([now.inputs, heard(now, self.broadcast)], axis=2)

    def state(self, now: Moment) -> Floats:
        """Return the state of whole worlds, (K, columns), for a critic that all robots share.

        By default it contains the observations of all robots, their true poses (x, y, cosine and
        sine of the yaw) and their commands.
        """
        pose = now.seen.pose
        rows = np.concatenate([self.observation(now), pose[..., :2], np.cos(pose[..., 2:]),
                               np.sin(pose[..., 2:]), now.commands], axis=2)
        return rows.reshape(len(rows), -1)

    def mask(self, now: Moment) -> Flags | None:
        """Return which discrete actions robots may choose, (K, N, moves); None: all."""
        return None

    def reward(self, before: Moment, now: Moment) -> Floats:
        """Return the reward of each robot between two decisions, (K, N)."""
        raise NotImplementedError(f'{type(self).__name__}.reward(before, now)')

    def ended(self, now: Moment) -> Flags:
        """Return which robots are done before the time is over, (K, N)."""
        return np.zeros(now.seen.pose.shape[:2], np.bool_)


def check_task(task: Task) -> None:
    """Raise InputError for attributes of a task: another type, or a number out of range."""
    if isinstance(task.senses, str) or not isinstance(task.senses, Sequence):
        raise bad_value('senses of the task', task.senses, 'a list of names of sensors')
    for name in ('max_speed', 'turn'):
        value = getattr(task, name)
        if not isinstance(value, int | float | np.number | None):
            raise bad_value(f'{name} of the task', value, 'a number, or None')
    whole('hold of the task (ticks)', task.hold, 1, MOST_TICKS)
    if not isinstance(task.seconds, int | float) or not 0.0 < task.seconds <= _LONGEST:
        raise bad_value('seconds of the task', task.seconds,
                        f'a number > 0 and <= {_LONGEST:g} (s)')


def heard(now: Moment, count: int) -> Floats:
    """Return the bytes of the nearest robot that a robot hears, (K, N, count + 1).

    They are its first bytes as shares in [-1, 1], and then 1. If a robot hears nobody, all are 0.
    """
    neighbours = now.seen.neighbours
    if neighbours is None:
        raise InputError("heard() needs 'neighbours' in the task's senses")
    shape = now.seen.pose.shape[:2]
    out = np.zeros((*shape, count + 1))
    if neighbours.range.shape[2]:
        far = np.where(neighbours.robot >= 0, neighbours.range, np.inf)
        nearest = far.argmin(axis=2)[..., None]
        data = np.take_along_axis(neighbours.data, nearest[..., None], axis=2)[:, :, 0]
        out[..., :count] = data[..., 1:1 + count] / 127.5 - 1.0
        out[..., count] = 1.0
        out[neighbours.number == 0] = 0.0
    return out
