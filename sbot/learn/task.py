# SPDX-License-Identifier: Apache-2.0
"""A task: what robots observe, their actions, rewards and ends; its answers checked."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sbot.controllers.neural.inputs import input_table
from sbot.controllers.neural.network import OUTPUTS, Network
from sbot.worlds.many import Worlds
from sbot.worlds.observation import Observations
from sbot.worlds.policy import deciding_phases
from sbot_common.arguments import as_array, floats, numbers, whole
from sbot_common.arrays import Flags, Floats, Integers
from sbot_common.compiled.jit import njit
from sbot_common.elementary import sincos_of
from sbot_common.errors import InputError, bad_value
from sbot_common.random.numbers import purpose_of, uniforms_of_worlds
from sbot_common.user_code import raise_of_user
from sbot_sim.sensors.range_and_bearing import DATA_BYTES
from sbot_sim.worlds.state import Policy
from sbot_sim.worlds.tick import Phases

_DRAWS = purpose_of('draws of tasks')
_BOOL = np.dtype(np.bool_)
_TRIES = 32  # candidates for a point that is to be apart from others
Kept = Mapping[str, NDArray[Any]]  # arrays (K, …) of a task's own, by name
MOVES = tuple((a, b) for a in (-1.0, 0.0, 1.0) for b in (-1.0, 0.0, 1.0))


class Moment(NamedTuple):
    """K worlds of N robots at a decision."""

    seen: Observations  # poses, readings, contacts of the last tick: arrays (K, N, …)
    inputs: Floats  # (K, N, I) the task's inputs, as networks get them
    commands: Floats  # (K, N, 3) vx, vy (m/s), omega (rad/s) since the last decision
    goal: Floats  # (K, N, 2) m; NaN: none
    network: Network  # inputs, outputs and greatest speeds (of robot 0, if the task has none)
    dt: float  # s, length of a tick
    limits: Floats  # (N, 2) each robot's greatest speed (m/s), and distance of wheels or turn rate
    kept: Kept = {}  # noqa: RUF012 - of the task's ``keep`` and ``update``; never changed


class Draws:
    """Random numbers of K worlds at their present ticks, by counter.

    A world's depend on its seed, its tick, and how many calls were before; on nothing else.
    """

    def __init__(self, seeds: Integers, ticks: Integers) -> None:
        self._seeds, self._ticks, self._calls = seeds, ticks, 0

    def uniform(self, low: ArrayLike = 0.0, high: ArrayLike = 1.0,
                shape: tuple[int, ...] = ()) -> Floats:
        """Return numbers (K, *shape) from low to high."""
        rows = uniforms_of_worlds(self._seeds, _DRAWS, self._calls, self._ticks, math.prod(shape))
        self._calls += 1
        least = np.asarray(low, np.float64)
        return np.asarray(least + (np.asarray(high) - least) * rows.reshape(-1, *shape))

    def below(self, end: int, shape: tuple[int, ...] = ()) -> Integers:
        """Return whole numbers (K, *shape) from 0 to end - 1."""
        return self.uniform(0.0, end, shape).astype(np.int64)

    def apart(self, count: int, low: ArrayLike, high: ArrayLike, gap: float,
              places: Floats | None = None) -> Floats:
        """Return points (K, count, 2) that keep a gap to each other and to places (K, M, 2), in m.

        They are between two corners. Where none of 32 candidates is so far away, it is the
        farthest.
        """
        tries = self.uniform(low, high, (count, _TRIES, 2))
        worlds = np.arange(len(tries))
        points = np.zeros((len(tries), 0, 2)) if places is None else places
        for i in range(count):
            off = tries[:, i, :, None] - points[:, None]
            free = np.sqrt((off * off).sum(axis=3)).min(axis=2, initial=gap)
            best = tries[worlds, i, free.argmax(axis=1)]
            points = np.concatenate([points, best[:, None]], axis=1)
        return points[:, points.shape[1] - count:]


class Task:
    """Base class of tasks; define ``reward``, and override other members if you need to.

    Methods compute values for K worlds of N robots at once. What a task remembers during an
    episode is in the arrays of ``keep``, not in its attributes, which several environments share.
    """

    inputs: tuple[str, ...] = ('infrared',)
    """Names of inputs (``sbot.controllers.neural.inputs``), side by side in an observation."""
    senses: tuple[str, ...] = ()
    """Names of further sensors to simulate, as ``sbot.Worlds`` takes them."""
    outputs: str = 'wheels'
    """Meaning of the actions in [-1, 1]: 'wheels'; 'twist', speed and turn rate; or 'holonomic',
    speed ahead, to the left, and turn rate, for omnidirectional bodies."""
    max_speed: float | None = None
    """Greatest speed of a wheel or of the robot (m/s); None: that of each robot's wheels."""
    turn: float | None = None
    """Distance of the wheels (m) or turn rate (rad/s); None: that of each robot's wheels."""
    moves: tuple[tuple[float, ...], ...] = MOVES
    """The shares that each discrete action means (``discrete=True``)."""
    scripted: tuple[int, ...] = ()
    """Numbers of robots that do not learn, for example opponents: ``script`` drives them, or
    without it their controllers of the scenario. An environment has no agents for them."""
    broadcast: int = 0
    """Number of bytes (0 to 9) that a robot broadcasts by range and bearing. An action then has as
    many more shares, and an observation includes the bytes that the robot hears, as shares, and
    whether it hears somebody. Needs sensors.range_and_bearing."""
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

    def keep(self, now: Moment, draw: Draws) -> Kept:
        """Return arrays of the task's own, (K, …) by name, as they are when episodes begin.

        For example targets that only ``observation`` shows, drawn anew for each episode, or cells
        that robots have visited. Worlds that do not begin keep theirs.
        """
        return {}

    def update(self, before: Moment, now: Moment, draw: Draws) -> Kept:
        """Return the arrays of ``now.kept`` that change after a decision, before its reward.

        Give new arrays; ``before.kept`` has the old ones.
        """
        return {}

    def script(self, now: Moment) -> Floats:
        """Return the shares (K, S, 2 or 3) of the robots in ``scripted``."""
        raise NotImplementedError(f'{type(self).__name__}.script(now)')

    def observation(self, now: Moment) -> Floats:
        """Return the observations (K, N, columns): the inputs, and the bytes that robots hear."""
        if not self.broadcast:
            return now.inputs
        return np.concatenate([now.inputs, _heard(now, self.broadcast)], axis=2)

    def state(self, now: Moment) -> Floats:
        """Return the state of whole worlds, (K, columns), for a critic that all robots share.

        By default it contains the observations of all robots, their true poses (x, y, cosine and
        sine of the yaw) and their commands.
        """
        return _whole_state(self.observation(now), now, np.float64)

    def mask(self, now: Moment) -> Flags | None:
        """Return which discrete actions robots may choose, (K, N, moves); None: all."""
        return None

    def reward(self, before: Moment, now: Moment) -> Floats:
        """Return the reward of each robot between two decisions, (K, N)."""
        raise NotImplementedError(f'{type(self).__name__}.reward(before, now)')

    def ended(self, now: Moment) -> Flags:
        """Return which robots are done before the time is over, (K, N)."""
        return np.zeros(now.seen.pose.shape[:2], np.bool_)


def _heard(now: Moment, count: int) -> Floats:
    """Return the bytes of the nearest robot that a robot hears, (K, N, count + 1).

    They are its first bytes as shares in [-1, 1], and then 1. If a robot hears nobody, all are 0.
    """
    neighbours = now.seen.neighbours
    assert neighbours is not None  # environments sense them where a task broadcasts
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


# Answers of a task's methods, checked: observations, rewards, masks, start poses and goals.

class Answers:
    """A task's methods for K worlds of N robots; InputError where they return something else.

    What they raise is one line, too (``UserCodeError``).
    """

    def __init__(self, task: Task, worlds: int, robots: int) -> None:
        self._task, self._shape = task, (worlds, robots)
        self._names = {name: f'{type(task).__name__}.{name}()' for name in (
            'begin', 'goals', 'keep', 'update', 'script', 'observation', 'state', 'mask',
            'reward', 'ended')}

    def drawn(self, method: str, worlds: Worlds, k: int, rng: np.random.Generator,
              *shapes: tuple[int, ...]) -> Floats | None:
        """Return what ``begin`` or ``goals`` of world k gives, of one of some shapes; or None."""
        given = self._ask(method, worlds, k, rng) if self.has(method) else None
        return None if given is None else floats(self._names[method], given, shapes)

    def kept(self, method: str, *arguments: Any) -> dict[str, NDArray[Any]]:  # noqa: ANN401
        """Return the arrays (K, …) of ``keep`` or ``update``, by name."""
        where, given = self._names[method], self._ask(method, *arguments)
        if not isinstance(given, Mapping):
            raise bad_value(where, given, 'arrays by name')
        found = {name: np.asarray(values) for name, values in given.items()}
        for name, values in found.items():
            if values.shape[:1] != self._shape[:1]:
                raise bad_value(f'{where}: {name}', f'shape {values.shape}',
                                f'a row for each of {self._shape[0]} worlds')
        return found

    def script(self, now: Moment, columns: int) -> Floats:
        """Return the shares of robots that do not learn, (K, S, columns)."""
        shape = self._shape[0], len(self._task.scripted), columns
        return numbers(self._names['script'], self._ask('script', now), shape)

    def observation(self, now: Moment) -> NDArray[np.float32]:
        """Return the observations of the robots, (K, N, columns)."""
        if not (self._task.broadcast or self.has('observation')):
            return now.inputs.astype(np.float32)
        return self._wide('observation', now, self._shape)

    def state(self, now: Moment) -> NDArray[np.float32]:
        """Return the state of whole worlds for critics, (K, columns)."""
        if self._task.broadcast or self.has('observation') or self.has('state'):
            return self._wide('state', now, self._shape[:1])
        return _whole_state(now.inputs, now, np.float32)

    def _wide(self, method: str, now: Moment, rows: tuple[int, ...]) -> NDArray[np.float32]:
        given = as_array(self._names[method], self._ask(method, now))
        return floats(self._names[method], given, [(*rows, *given.shape[-1:])]).astype(np.float32)

    def mask(self, now: Moment, moves: int) -> Flags | None:
        """Return which moves robots may choose, (K, N, moves); None: all."""
        given = self._ask('mask', now)
        return None if given is None else floats(
            self._names['mask'], given, [(*self._shape, moves)]).astype(np.bool_)

    def settled(self, active: Flags, before: Moment, now: Moment, ticks: int) -> (
            tuple[Floats, Flags, Flags, bool]):
        """Return rewards (K, N), 0 if not active, and all that ``find_ends`` finds.

        Robots that end are not active any more.
        """
        shape, method = self._shape, 'reward'
        try:
            given = self._task.reward(before, now)
            method = 'ended'
            done = self._task.ended(now)
        except BaseException as error:
            raise_of_user(error, lambda: self._names[method])
        given = np.ascontiguousarray(floats(self._names['reward'], given, (shape,)))
        reward = np.empty(shape)
        all_ended, late = np.empty((2, shape[0]), _BOOL)
        over = _settle(given, self._flags(done, active), active, now.seen.tick, ticks, reward,
                       all_ended, late)
        if over < 0:
            raise bad_value(self._names['reward'], given.tolist(), 'finite numbers')
        return reward, all_ended, late, over > 0

    def _flags(self, done: ArrayLike, active: Flags) -> Flags:
        """Return which robots are done, (K, N), of what ``ended`` answers."""
        given = done if type(done) is np.ndarray else as_array(self._names['ended'], done)
        if given.dtype is not _BOOL or given.shape != self._shape:
            given = floats(self._names['ended'], given, (self._shape,))
            if not np.isfinite(given[active]).all():
                raise bad_value(self._names['ended'], given.tolist(), 'finite numbers')
            given = given != 0.0
        return np.ascontiguousarray(given)

    def has(self, method: str) -> bool:
        """Tell whether a method is the task's own, of its class or set in the object."""
        found = getattr(getattr(self._task, method), '__func__', None)
        return found is not getattr(Task, method)

    def _ask(self, method: str, *arguments: Any) -> Any:  # noqa: ANN401
        try:
            return getattr(self._task, method)(*arguments)
        except BaseException as error:
            raise_of_user(error, lambda: self._names[method])


@njit
def find_ends(active: Flags, tick: Integers, ticks: int, all_ended: Flags, late: Flags) -> bool:
    """Find worlds (K,) where all robots are done, or else time is over; tell if there is one."""
    some = False
    for k in range(len(active)):
        all_ended[k] = True
        for acts in active[k]:
            all_ended[k] &= not acts
        late[k] = tick[k] >= ticks and not all_ended[k]
        some |= all_ended[k] or late[k]
    return some


@njit
def _settle(given: Floats, done: Flags, active: Flags, tick: Integers, ticks: int, reward: Floats,
            all_ended: Flags, late: Flags) -> int:
    """Write the rewards (K, N) of active robots, else 0; end robots, and ``find_ends`` (1 or 0).

    Return -1 for a reward that is not finite; none has ended then.
    """
    rows, ends, acts, out, finite = (given.ravel(), done.ravel(), active.ravel(), reward.ravel(),
                                     True)
    for i in range(len(out)):  # of all worlds: in vectors
        out[i] = rows[i] if acts[i] else 0.0
        finite &= math.isfinite(out[i])
    if not finite:
        return -1
    for i in range(len(acts)):
        acts[i] &= not ends[i]
    return 1 if find_ends(active, tick, ticks, all_ended, late) else 0


def _whole_state(observation: Floats, now: Moment, kind: type) -> NDArray[Any]:
    """Return observations (K, N, C), poses and commands in a row (K, columns) for each world."""
    columns = observation.shape[2]
    rows = np.empty((*observation.shape[:2], columns + 7), kind)
    rows[..., :columns] = observation
    _append_state(now.seen.pose, now.commands, rows[..., columns:])
    return rows.reshape(len(rows), -1)


@njit
def _append_state(pose: Floats, commands: Floats, found: NDArray[Any]) -> None:
    """Write poses (K, N, 3) with the yaw's cosine and sine, and commands (K, N, 3)."""
    n, sine, cosine = pose.shape[1], np.empty(pose.size // 3), np.empty(pose.size // 3)
    sincos_of(pose.reshape(-1, 3)[:, 2].copy(), sine, cosine)  # of all robots: in vectors
    for k in range(len(pose)):
        for i in range(n):
            row = found[k, i]
            row[0], row[1] = pose[k, i, 0], pose[k, i, 1]
            row[2], row[3] = cosine[k * n + i], sine[k * n + i]
            for c in range(3):
                row[4 + c] = commands[k, i, c]


@njit
def _all_finite(values: Floats) -> bool:
    found = True
    for value in values:
        found &= math.isfinite(value)
    return found


@njit
def _idle(actions: NDArray[Any], active: Flags, found: NDArray[Any]) -> bool:
    """Write the actions (K, N, C) of active robots, else 0; tell whether all are finite."""
    finite = True
    for k in range(len(active)):
        for i in range(active.shape[1]):
            for value in actions[k, i]:
                finite &= math.isfinite(value)
            for c in range(found.shape[2]):
                found[k, i, c] = actions[k, i, c] if active[k, i] else 0.0
    return finite


# Inputs and commands of the robots in a batch, by name, as networks use them.

class Interface:
    """Inputs and commands of K worlds, by the compiled code of policies: the same bits.

    The actions (K, N, 2 or 3) are written to ``shares``.

    Parameters
    ----------
    worlds : kept alive
    network : names of the inputs, outputs and greatest speeds; it has no weights
    goal : (K, N, 2) m
    limits : (N, 2) greatest speeds (m/s), and distances of wheels (m) or turn rates (rad/s)

    """

    def __init__(self, worlds: Worlds, network: Network, goal: Floats, limits: Floats) -> None:
        rows = worlds.count * worlds.robots
        self._worlds = worlds
        self._arrays = Policy.none()._replace(
            inputs=np.zeros((rows, network.input_count)),
            outputs=np.zeros((rows, network.layers[-1])), table=input_table(network.inputs),
            goal=goal.reshape(-1, 2).copy(), limits=np.tile(limits.ravel(), worlds.count))
        self._inputs = self._arrays.inputs.reshape(worlds.count, worlds.robots, -1)
        self.shares = self._arrays.outputs.reshape(worlds.count, worlds.robots, -1)
        self._commands = worlds.state.command.reshape(worlds.count, worlds.robots, 3)
        gather, _, act = deciding_phases(network)
        seeing: Phases = [gather, *worlds.reading_phases(network, self._arrays)]
        self._gather = worlds.program(seeing, self._arrays)
        self._act = worlds.program([act], self._arrays)
        self._between = worlds.program(worlds.ticking(seen=False), self._arrays)
        self._last = worlds.program([*worlds.ticking(), *seeing], self._arrays)
        self._only = worlds.program([act, *worlds.ticking(), *seeing], self._arrays)

    def aim(self, goal: Floats) -> None:
        """Set the goals (K, N, 2) m."""
        self._arrays.goal[:] = goal.reshape(-1, 2)

    def inputs(self, worlds: Integers) -> Floats:
        """Return the inputs (K, N, I) of all robots; only these worlds have changed (numbers)."""
        self._worlds.simulation.run_some(self._gather, worlds)
        return self._inputs.copy()

    def advance(self, ticks: int, data: NDArray[Any] | None) -> tuple[
            Observations, Floats, Floats]:
        """Advance by ticks with the commands of ``shares``, as ``Worlds.step``.

        Returns what is seen then, the inputs, and the commands.

        ``data`` : (K, N, 10) bytes that robots broadcast; None: the same as before
        """
        w = self._worlds
        if data is not None:
            w.state.rab_next[:] = data.reshape(w.state.rab_next.shape)
        if ticks > 1:
            w.simulation.run(self._act)
            w.simulation.run(self._between, ticks - 1)
        w.simulation.run(self._last if ticks > 1 else self._only)
        return w.observe(), self._inputs.copy(), self._commands.copy()


# Actions of environments: shares of the greatest speeds, moves by number, bytes to broadcast.

MOST_BYTES = DATA_BYTES - 1  # that a robot may choose: byte 0 is the radius's


class Actions:
    """What the numbers that an environment is given for each robot mean.

    Parameters
    ----------
    task : its ``moves`` and ``broadcast``
    discrete : whether an action is the number of a move
    hears : whether robots have range and bearing

    Raises
    ------
    InputError
        for moves of another number of shares, more bytes than a robot sends, or bytes that
        nobody hears.

    """

    def __init__(self, task: Task, discrete: bool, hears: bool) -> None:
        self.discrete = discrete
        self.bytes = whole('broadcast of the task', task.broadcast, 0, MOST_BYTES)
        if self.bytes and not hears:
            raise InputError('broadcast of the task needs range and bearing; add '
                             'sensors.range_and_bearing: true to the scenario')
        if self.bytes and discrete:
            raise InputError('broadcast of the task cannot be combined with discrete')
        where = 'moves of the task'
        self.moves = numbers(where, task.moves, as_array(where, task.moves).shape)
        self.shares = OUTPUTS[task.outputs]
        if task.moves is MOVES:  # of three shares: to all sides, without a turn
            self.moves = np.pad(self.moves, ((0, 0), (0, self.shares - 2)))
        if self.moves.shape[1:] != (self.shares,) or (np.abs(self.moves) > 1.0).any():
            raise bad_value(where, f'shape {self.moves.shape}',
                            f'rows of {self.shares} shares from -1 to 1')
        self.columns = self.shares + self.bytes
        # Of a robot's action: () for the number of a move.
        self.shape: tuple[int, ...] = () if discrete else (self.columns,)

    def checked(self, where: str, given: ArrayLike, shapes: Sequence[tuple[int, ...]],
                finite: bool = True) -> NDArray[Any]:
        """Return actions in the first of ``shapes``, each of which ends with that of a robot's.

        ``finite`` : whether to look for shares that are not; ``split`` does so, too

        Raises
        ------
        InputError
            for another shape, shares that are not finite, and a move that there is not.

        """
        if not self.discrete:
            values = floats(where, given, shapes)
            if finite and not _all_finite(values.ravel()):
                numbers(where, given, *shapes)
            return values.reshape(shapes[0])
        values = numbers(where, given, *shapes).reshape(shapes[0])
        moves = values.astype(np.int64)
        if ((moves != values) | (moves < 0) | (moves >= len(self.moves))).any():
            raise bad_value(where, values.tolist(), f'whole numbers from 0 to '
                            f'{len(self.moves) - 1}')
        return moves

    def none(self, *robots: int) -> NDArray[Any]:
        """Return actions of robots (worlds, robots) that are all 0."""
        return np.zeros((*robots, *self.shape), np.int64 if self.discrete else np.float64)

    def split(self, actions: NDArray[Any], active: Flags, shares: Floats) -> (
            NDArray[Any] | None):
        """Write shares (K, N, 2 or 3), and return bytes (K, N, 10); None: no robot broadcasts.

        Robots that are done do nothing.

        Raises
        ------
        InputError
            for shares that are not finite.

        """
        if not _idle(self.moves[actions] if self.discrete else actions, active, shares):
            numbers('actions', actions, actions.shape)
        if not self.bytes:
            return None
        data = np.zeros((*active.shape, DATA_BYTES), np.int64)
        said = np.clip(actions[..., self.shares:], -1.0, 1.0)
        values = np.rint((said + 1.0) * 127.5).astype(np.int64)
        data[..., 1:1 + self.bytes] = np.where(active[..., None], values, 0)
        return data
