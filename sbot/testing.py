# SPDX-License-Identifier: Apache-2.0
"""Test harness: what holds for every controller, sensor, drive and task; replay of recordings.

A check takes what you wrote and raises an AssertionError of one line that says what does not hold,
like the ``env_checker`` of Gymnasium::

    from sbot.testing import check_controller

    def test_it_is_a_controller():
        check_controller('my_module:Mine', {'speed': 0.4})

In ``conftest.py``, ``pytest_plugins = ['sbot.testing']`` gives the fixtures ``sbot`` and
``replay_to_node``.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest.mock import Mock, patch

import numpy as np
import yaml
from numpy.typing import ArrayLike

from sbot.api.functions import run
from sbot.api.worlds import Worlds, save_policy
from sbot.bag.reader import Bag
from sbot.bag.ticks import ticks
from sbot.controllers.registry import entry_of
from sbot.learn.episodes import Episodes, world_seeds
from sbot.learn.evaluation import begin_and_end, play, worlds_of
from sbot.learn.task import Interface
from sbot.learn.tasks.entry import Entry, Track
from sbot.regression.replay import _Controllers, replay
from sbot.runner.history import Run
from sbot.scenario.load import load, parse_scenario
from sbot.scenario.model import Scenario
from sbot.worlds.policy import scenario_goals
from sbot.worlds.setting import senses_of
from sbot_common import observation as observing
from sbot_common.arrays import Floats
from sbot_common.clock import NANOSECONDS, Rate
from sbot_common.compiled.jit import njit
from sbot_common.errors import InputError, unknown_name
from sbot_common.observation import OMEGA, VX, VY, Observation, Point
from sbot_common.user_code import UserCodeError
from sbot_common.wire import cdr
from sbot_sim.drives.record import Drive
from sbot_sim.drives.registry import DRIVES, wheel_equation
from sbot_sim.dynamics import motion
from sbot_sim.sensors import odometry, registry
from sbot_sim.sensors.registry import Sensor, sensors
from sbot_sim.world.bodies import ROBOT, BodyArrays

if TYPE_CHECKING:
    from sbot.regression.testing import Sbot
    from sbot.ros.testing import assert_node_replays, replay_to_node

__all__ = ['Sbot', 'assert_node_replays', 'check_controller', 'check_drive', 'check_sensor',
           'check_task', 'fake_observation', 'replay_to_node']
pytest_plugins = ['sbot.regression.testing', 'sbot.ros.testing']  # pytest imports them
_ELSEWHERE = {'Sbot': 'sbot.regression.testing', 'assert_node_replays': 'sbot.ros.testing',
              'replay_to_node': 'sbot.ros.testing'}


def __getattr__(name: str) -> object:
    if name not in _ELSEWHERE:
        raise AttributeError(f"module 'sbot.testing' has no attribute '{name}'")
    return getattr(import_module(_ELSEWHERE[name]), name)


@contextlib.contextmanager
def _about(what: str) -> Iterator[None]:
    """Have every failure say what is checked; errors of users' code and files are failures."""
    try:
        yield
    except (AssertionError, InputError, UserCodeError) as error:
        raise AssertionError(f'{what}: {error}') from error


def _need(holds: object, otherwise: str) -> None:
    """Raise AssertionError with a line unless something holds; also with ``python -O``."""
    if not holds:
        raise AssertionError(otherwise)


def _same(one: Any, other: Any) -> bool:  # noqa: ANN401
    """Tell whether arrays, or tuples of them, are equal; NaN equals NaN."""
    return all(np.array_equal(a, b, equal_nan=True) for a, b in zip(
        _parts(one), _parts(other), strict=True))


def _parts(value: Any) -> list[Any]:  # noqa: ANN401
    return list(value) if isinstance(value, tuple) else [value]


def _same_run(one: Run, other: Run) -> bool:
    return (one.poses.tobytes() == other.poses.tobytes()
            and one.commands.tobytes() == other.commands.tobytes())


# Controllers.

# Known to every controller; the others are sensed.
_ALWAYS = {'robot_id', 'num_robots', 'tick', 'stamp_ns', 'dt', 'poses', 'goal', 'scan_heading'}
_SETTING = {
    'duration': 1.5, 'rate': 20, 'seed': 7,
    'world': {'bounds': [0, 0, 16, 12], 'circles': [{'center': [10.3, 6], 'radius': 0.6}]},
    'sensors': {'infrared': True, 'infrared_noise': 0.1, 'range_and_bearing': True,
                'scan_sees_robots': True, 'scan_noise_std': 0.01},
    'wind': {'wind_speed_mean': 0.1, 'wake': True}}


class _Case(NamedTuple):
    """A controller as a scenario names it."""

    controller: str
    parameters: Mapping[str, Any]
    goal: None = None


def check_controller(controller: str, parameters: Mapping[str, Any] | None = None, *,
                     folder: str | Path = '.') -> None:
    """Check that a controller keeps what holds for every one.

    It gives the same bits in a second run and in replay. A reset makes it fresh. It reads only
    the fields of observations that its entry names.

    Parameters
    ----------
    controller : its name, or ``module:Class``
    parameters : as in a scenario
    folder : where modules and the files among the parameters are found

    Raises
    ------
    AssertionError
        of one line, at the first promise that is not kept.

    """
    case, place = _Case(controller, dict(parameters or {})), Path(folder).resolve()
    with _about(f'controller {controller}'), TemporaryDirectory() as bags:
        _check_replay(_swarm([case] * 3, place), Path(bags) / 'bag')
        _check_fields(case, place)


def _swarm(cases: Sequence[_Case], folder: Path, *, goals: bool = True) -> Scenario:
    """Return a scenario with a robot a case; without ``goals`` some follow robot 0."""
    entries = []
    for i, case in enumerate(cases):
        x, y = 1.5 + 1.6 * (i % 5), 1.5 + 1.5 * (i // 5)
        entries.append({'pose': [x, y, 0.3 * i], 'controller': case.controller,
                        'parameters': case.parameters})
        if goals or i == 0 or not entry_of(case.controller).follows(case):
            entries[-1]['goal'] = [14.0 - x, 10.5 - y]
    return parse_scenario(yaml.safe_dump({**_SETTING, 'robots': entries}), 'scenario', folder)


def _check_replay(scenario: Scenario, path: Path) -> None:
    _need(_same_run(run(scenario, record=path), run(scenario)),
          'two runs with one seed have other bits; draw from `rng` only, and keep all in `self`')
    bag, count = Bag(path), len(scenario.robots)
    result = replay(bag)  # the node's class, without ROS
    _need(result.equal and result.commands == count * result.ticks,
          f'a replay of its run decides otherwise: {result.first}')
    replayed = _Controllers(bag, scenario)
    found = list(ticks(bag, count, scenario.rate, replayed.topics, replayed.commands))
    first = [replayed.decide(tick) for tick in found]
    again = [replayed.decide(tick._replace(restarted=k == 0)) for k, tick in enumerate(found)]
    _need(again == first, 'after a reset it is not a fresh one; keep all in `self`')


def _check_fields(case: _Case, folder: Path) -> None:
    read: set[str] = set()

    class Spy(Observation):
        def __getattribute__(self, name: str) -> Any:  # noqa: ANN401
            read.add(name)
            return super().__getattribute__(name)

    make = observing.make_observation
    with patch.object(observing, 'make_observation', lambda *given: Spy(*make(*given))):
        run(_swarm([case, case], folder, goals=False))
    named = entry_of(case.controller).fields
    unnamed = [] if named is None else sorted((read & observing.FIELDS) - _ALWAYS - {*named})
    _need(not unnamed, f"it reads {', '.join(unnamed)}, which `fields` of its entry does not name")


def fake_observation(*, scan: ArrayLike | None = None, pose: ArrayLike | None = None,
                     goal: Point | None = None, **fields: Any) -> Observation:  # noqa: ANN401
    """Return an observation for a test of ``step``: a robot at (0, 0, 0), nothing in sight.

    Every sensor is on.

    Parameters
    ----------
    scan : ranges (B,) m of B beams over [-pi/2, pi/2]; None: 180 beams without an echo
    pose : x, y (m), yaw (rad) of the robot itself, frame `map`; None: its row of ``poses``
    goal : x, y (m) of the robot
    fields : values by the name of a field or a sensor, e.g. ``poses`` (N, 3) m, m, rad

    Raises
    ------
    InputError
        for a name of no field and no sensor.

    """
    none = np.zeros(0, np.float32)
    given: dict[str, Any] = {
        'robot_id': 0, 'tick': 0, 'dt': 0.1, 'poses': np.zeros((1, 3)), 'goal': goal,
        'scan': np.full(180, np.inf) if scan is None else scan,
        'wind': (0.0, 0.0), 'twist': (0.0, 0.0, 0.0),
        'infrared': np.zeros(observing.INFRARED_SENSORS, np.float32), 'scan_heading': None,
        'neighbours': observing.Neighbours(
            none, none, np.zeros((0, observing.BROADCAST_BYTES), np.uint8)),
        'odometry': observing.Odometry(0.0, 0.0, 0.0, 0.0, 0.0),
        **{name: sensor.kernel.value(*[0.0] * len(sensor.kernel.columns))
           for name, sensor in sensors().items()
           if name not in observing.FIELDS and sensor.kernel is not None}}
    for name in sorted(fields.keys() - given.keys()):
        raise unknown_name('fake_observation', name, given)
    robot, tick, dt, poses, goal, ranges, *_ = (given | fields).values()
    poses = np.array(poses, np.float64)
    if pose is not None:
        poses[robot] = pose
    beams, rate = np.array(ranges, np.float32), Rate(NANOSECONDS, round(dt * NANOSECONDS))
    sensed = {name: value for name, value in (given | fields).items()
              if name not in _ALWAYS or name == 'scan_heading'}
    sensed['scan'] = observing.Scan(beams, -math.pi / 2, math.pi / max(1, len(beams) - 1), 0., 30.)
    return observing.make_observation(
        robot, rate, goal, rate.stamp_ns(tick), poses, sensed,
        [name for name in sensed if name not in observing.FIELDS])


# Sensors.

_SCENE: dict[str, Any] = {
    'duration': 1.0, 'rate': 20, 'seed': 7,
    'world': {'bounds': [0, 0, 9, 9], 'circles': [{'center': [5.2, 4.0], 'radius': 0.5}],
              'segments': [[2, 6, 6, 7]]},
    'wind': {'wind_speed_mean': 0.4, 'wind_direction': [1.0, 0.3, 0.0], 'wake': True},
    'robots': [{'pose': [3.0 + 0.7 * i, 4.0 + 0.3 * i, 0.5 * i], 'controller': 'none'}
               for i in range(4)]}


class _Reader:
    """A controller that is driven by all numbers of sensors."""

    def __init__(self, sensors: Sequence[str]) -> None:
        self._sensors = sensors

    def step(self, observation: Observation, rng: np.random.Generator) -> tuple[float, float]:
        numbers = np.concatenate([np.ravel(part).astype(np.float64) for name in self._sensors
                                  for part in _parts(getattr(observation, name))])
        total = np.where(np.isfinite(numbers), numbers, 0.0) @ np.arange(1.0, len(numbers) + 1)
        return 0.5 + 0.1 * math.sin(total), 0.8 * math.cos(3.0 * total)


def check_sensor(sensor: Sensor) -> None:
    """Check that a sensor keeps what holds for every one.

    Messages carry what controllers are given, so a replay has the same bits. So have a batch of
    worlds and each alone. A scene that is turned and moved is sensed alike. Nothing is drawn where
    it, or its noise, is off.

    Parameters
    ----------
    sensor : the ``SENSOR`` of a module of ``sbot_sim/sensors``, or of an installed package

    Raises
    ------
    AssertionError
        of one line, at the first promise that is not kept.

    """
    with _about(f'sensor {sensor.name}'), TemporaryDirectory() as folder:
        _need(sensors().get(sensor.name) is sensor,
              'it is in no module of sbot_sim/sensors and no entry point of sbot.sensors')
        _need(sensor.topic.type in cdr.typestore().types, 'its topic has no message type of ROS')
        _need(not sensor.switch or sensor.switch in [spec.name for spec in sensor.specs],
              f'its switch {sensor.switch} is none of its settings')
        if sensor.kernel is not None:
            columns = tuple(range(len(sensor.kernel.columns)))
            _need(tuple(sensor.kernel.value(*columns)) == columns,
                  'the value of its kernel is not the numbers of a reading')
            _check_draws(sensor)
        _check_messages(sensor, Path(folder) / 'bag')
        _check_batch(sensor)
        if sensor.turned is not None:
            _check_turned(sensor)


def _settings(*, noise: bool, off: Collection[str] = ()) -> dict[str, Any]:
    """Return the keys that switch on all sensors but some, with noise or without."""
    noises = 0.02 if noise else 0.0
    keys = {spec.name: name not in off if spec.name == sensor.switch else noises
            for name, sensor in sensors().items() for spec in sensor.specs
            if spec.name == sensor.switch or (
                name not in off and ('noise' in spec.name or 'bias' in spec.name))}
    return {**keys, 'scan_sees_robots': True, 'scan_beams': 24}


def _scene(**changes: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return the scene with all sensors on, and their noise."""
    return {**_SCENE, 'sensors': _settings(noise=True), **changes}


def _driven(controller: str, **parameters: object) -> list[dict[str, Any]]:
    return [{**robot, 'controller': controller, 'parameters': parameters}
            for robot in _SCENE['robots']]


def _check_messages(sensor: Sensor, path: Path) -> None:
    ran = run(_scene(robots=_driven('sbot.testing:_Reader', sensors=[sensor.name])), record=path)
    _need(len(np.unique(ran.commands[..., 0])) > 1, 'it reads the same everywhere')
    result = replay(Bag(path))
    _need(result.equal and result.commands == 4 * len(ran.poses),
          f'its messages have not what controllers are given: {result.first}')


def _check_batch(sensor: Sensor) -> None:
    name, seeds, scenario = sensor.name, [5, 6, 7], load(_scene())
    alone = [getattr(run(scenario, seed=seed, sense=[name]), name) for seed in seeds]
    worlds = Worlds(scenario, seeds=seeds, count=3, sense=[name])
    for tick in range(21):
        seen = worlds.step(np.zeros((3, 4, 2))) if tick else worlds.observe()
        for k, kept in enumerate(alone):
            _need(_same(tuple(each[k] for each in _parts(getattr(seen, name))),
                        tuple(each[tick] for each in _parts(kept))),
                  f'tick {tick}: a batch of worlds has other bits than each alone')
    _need([other for other in sensors() if getattr(seen, other) is not None] == [name],
          'a batch of worlds senses what it is not asked for')


def _turned_scene(degrees: float, move: tuple[float, float], noise: bool) -> dict[str, Any]:
    """Return the scene, turned about the origin by degrees and then moved (m)."""
    angle = math.radians(degrees)
    c, s = math.cos(angle), math.sin(angle)

    def point(x: float, y: float) -> list[float]:
        return [c * x - s * y + move[0], s * x + c * y + move[1]]

    world, wind = _SCENE['world'], _SCENE['wind']
    x, y, _ = wind['wind_direction']
    return {
        **_SCENE, 'sensors': _settings(noise=noise),
        'world': {'open': True, 'bounds': [move[0] - 30, move[1] - 30, move[0] + 30, move[1] + 30],
                  'circles': [{**each, 'center': point(*each['center'])}
                              for each in world['circles']],
                  'segments': [[*point(*each[:2]), *point(*each[2:])]
                               for each in world['segments']]},
        'wind': {**wind, 'wind_direction': [c * x - s * y, s * x + c * y, 0.0]},
        'robots': [{**robot, 'pose': [*point(*robot['pose'][:2]), robot['pose'][2] + angle]}
                   for robot in _SCENE['robots']]}


def _check_turned(sensor: Sensor) -> None:
    turned: Any = sensor.turned
    # Noise along the axes of the map would not turn with the scene.
    for noise in (False, True) if turned is registry._unchanged else (False,):
        straight, *others = (
            getattr(run(_turned_scene(degrees, move, noise), sense=[sensor.name]),
                    sensor.name)
            for degrees, move in ((0.0, (0.0, 0.0)), (90.0, (0.0, 0.0)), (-140.3, (40.0, -25.0))))
        for degrees, found in zip((90.0, -140.3), others, strict=True):
            _need(_same_but_for_rounding(sensor, found, turned(straight, math.radians(degrees))),
                  f'a scene that is turned by {degrees} degrees is sensed otherwise')


def _same_but_for_rounding(sensor: Sensor, one: Any, other: Any) -> bool:  # noqa: ANN401
    columns = () if sensor.kernel is None else sensor.kernel.columns
    for a, b in zip(_parts(one), _parts(other), strict=True):
        finite = np.isfinite(b)
        apart = np.abs(np.where(finite, a, 0.0) - np.where(finite, b, 0.0))
        for i, column in enumerate(columns):
            if column.endswith('(rad)'):
                apart[..., i] = np.abs(np.remainder(apart[..., i] + np.pi, 2 * np.pi) - np.pi)
        if (np.isfinite(a) != finite).any() or not apart.max(initial=0.0) < 1e-5:
            return False  # ranges are float32
    return True


def _check_draws(sensor: Sensor) -> None:
    others = [name for name, other in sensors().items() if other.kernel and other is not sensor]
    draw = Mock(side_effect=AssertionError('it draws where it, or its noise, is off'))
    for keys in (_settings(noise=False, off=others),
                 _settings(noise=True, off=[*others, sensor.name])):
        with patch.multiple(registry, normals=draw, _normals_of_worlds=draw, uniforms=draw):
            run(_scene(duration=0.1, sensors=keys))
            Worlds(_scene(sensors=keys), 2).step(np.zeros((2, 4, 2)))


# Drives.

_DT, _MANY = 0.1, 6000  # s; runs whose spread the covariance predicts
_NOISE, _QUIET = odometry.OdometryParameters(0.002, 0.001), odometry.OdometryParameters()
_RIM = ROBOT.max_wheel_speed * ROBOT.wheel_radius  # m/s


@njit
def _equation(bodies: BodyArrays, i: int, k: int) -> tuple[float, ...]:
    return wheel_equation(bodies, i, k)  # type: ignore[no-any-return]


def check_drive(kind: Drive) -> None:
    """Check that a drive keeps what holds for every one.

    The equations of its wheels and their pseudo-inverse agree, and no wheel is too fast. Its
    odometry equals the motion without noise, and spreads as its covariance predicts with noise.
    Other drives beside it change no bit.

    Parameters
    ----------
    kind : the ``DRIVE`` of a module of ``sbot_sim/drives``

    Raises
    ------
    AssertionError
        of one line, at the first promise that is not kept.

    """
    with _about(f'drive {kind.name}'):
        _need(kind in DRIVES, 'it is in no module of sbot_sim/drives')
        moves = [VX, VY, OMEGA] if kind.sideways else [VX, OMEGA]
        _check_wheels(kind, moves)
        _check_odometry(kind)
        _check_covariance(kind, moves)
        _check_company(kind)


def _bodies(kind: Drive, count: int = 1) -> BodyArrays:
    return BodyArrays.of([ROBOT.updated({'drive': kind.name})] * count)


def _commands(count: int, seed: int = 3) -> Floats:
    """Return twists of all sizes, from a crawl to more than any wheel can."""
    rng = np.random.default_rng(seed)
    return rng.uniform(-1.0, 1.0, (count, 3)) * 10.0 ** rng.uniform(-3, 1, (count, 1))


def _moved(bodies: BodyArrays, pose: Floats, twists: Floats, velocity: Floats) -> Floats:
    return motion.move(bodies, pose, motion.drive(bodies, twists), velocity, _DT)


def _check_wheels(kind: Drive, moves: list[int]) -> None:
    """Check that the matrices between wheels and twist are inverse, and what limits the wheels."""
    rows = np.array([_equation(_bodies(kind), 0, k) for k in range(kind.wheels)])
    by_twist, by_wheels = rows[:, :3], rows[:, 3:6].T.copy()
    by_wheels[OMEGA] /= rows[:, 6]
    _need(np.allclose((by_wheels @ by_twist)[np.ix_(moves, moves)], np.eye(len(moves)), 0, 1e-12),
          'the speeds of its wheels do not give the twist back')
    # The pseudo-inverse is that with the least errors of the twist.
    _need(np.allclose(by_wheels, np.linalg.pinv(by_twist), 0, 1e-12),
          'p, q, r of its wheels are not the pseudo-inverse of a, b, c')
    twists = np.vstack([_commands(2000), [[vx, 0.0, 0.0] for vx in (-0.5, 1e-3, 1.0)]])
    got = motion.driven_twists(_bodies(kind, len(twists)), twists)
    _need(np.abs(got @ by_twist.T).max() <= _RIM * (1.0 + 1e-9), 'a wheel is faster than it can')
    _need(kind.sideways or not (got[:, VY].any() or by_wheels[VY].any()),
          'it drives or measures vy, but it is not sideways')
    slow = np.abs(twists @ by_twist.T).max(axis=1) <= _RIM
    _need((got[slow] * twists[slow] >= 0.0).all(), 'it drives backwards what it could forwards')
    _need(np.allclose(got[-3:], twists[-3:], 1e-12, 0),
          'a slow straight line is not driven as commanded')


def _measured(bodies: BodyArrays, twists: Floats, count: int,
              parameters: odometry.OdometryParameters) -> Iterator[tuple[Floats, Floats]]:
    """Yield the odometry's poses (N, 3) and twists (N, 3) at each tick."""
    n, wheels = len(twists), odometry.most_wheels(bodies)
    scale = odometry.draw_wheel_scale(np.full(n, parameters.odometry_noise_radius), 3, wheels)
    noise, pose = np.full(n, parameters.odometry_noise_slip), np.zeros((n, 3))
    for tick in range(count):
        slip = odometry.draw_slip(noise, 3, tick, wheels)
        pose, twist = odometry.measure(bodies, pose, scale, motion.drive(bodies, twists), slip,
                                       noise, _DT)
        yield pose, twist


def _check_odometry(kind: Drive) -> None:
    bodies, pose, twists = _bodies(kind), np.zeros((1, 3)), np.array([[0.7, -0.6, 0.4]])
    for measured, twist in _measured(bodies, twists, 20, _QUIET):
        pose = measured if kind.carried else _moved(bodies, pose, twists, np.zeros((1, 2)))
        _need(_same((measured, twist), (pose, motion.driven_twists(bodies, twists))),
              'without noise its odometry is not the way driven, to the bit')


def _check_covariance(kind: Drive, moves: list[int]) -> None:
    bodies, twists = _bodies(kind, _MANY), np.tile((0.06, 0.05, 0.1), (_MANY, 1))
    for noise in (_NOISE._replace(odometry_noise_slip=0.0),
                  _NOISE._replace(odometry_noise_radius=0.0), _NOISE):
        covariances = odometry.OdometryCovariances([noise] * _MANY, bodies, _DT)
        for tick, (pose, twist) in enumerate(_measured(bodies, twists, 60, noise), 1):
            of_pose, of_twist = covariances.at(tick, pose, twist)
        for got, samples, names in ((of_pose, pose, [0, 1, 2]), (of_twist, twist, moves)):
            spread = np.cov(samples[:, names].T)
            scale = np.sqrt(np.outer(np.diag(spread), np.diag(spread)))
            _need(np.allclose(got.mean(axis=0)[np.ix_(names, names)] / scale, spread / scale, 1e-7,
                              0.06), 'the covariance of its odometry is not the spread of runs')


def _check_company(kind: Drive) -> None:
    """Neither ways nor draws nor covariances depend on what others drive."""
    every = [kind, *DRIVES]  # draws are by the row, so its own rows are the first
    bodies = BodyArrays.of([ROBOT.updated({'drive': each.name})
                           for each in every for _ in range(3)])
    rows, twists = slice(3), np.tile(_commands(3), (len(every), 1))
    own, alone = bodies.select(rows), twists[rows]
    pose, velocity = _commands(len(twists), 7), _commands(len(twists), 8)[:, :2]
    compared = [(_moved(bodies, pose, twists, velocity),
                 _moved(own, pose[rows], alone, velocity[rows]))]
    many, few = (odometry.OdometryCovariances(
        [_NOISE] * len(each.radius), each, _DT) for each in (bodies, own))
    for parameters in (_QUIET, _NOISE):
        for tick, (here, there) in enumerate(zip(
                _measured(bodies, twists, 5, parameters), _measured(own, alone, 5, parameters),
                strict=True)):
            compared += [*zip(here, there, strict=True),
                         *zip(many.at(tick, *here), few.at(tick, *there), strict=True)]
    _need(all(_same(here[rows], there) for here, there in compared),
          'beside other drives it has other bits')


# Tasks.


def check_task(entry: Entry, seeds: Sequence[int] = range(3001, 3006)) -> None:
    """Check that a task keeps what holds for every one.

    A seed gives one scene, in environments too. Each robot has a finite reward. A policy is found
    for what is sensed. Runs with the task's rule have the bits of its episodes, and the rule is
    better than chance.

    Parameters
    ----------
    entry : the ``ENTRY`` of a module
    seeds : of the scenes in which the rule is compared with random actions

    Raises
    ------
    AssertionError
        of one line, at the first promise that is not kept.

    """
    with _about(f'task {entry.name}'):
        _check_entry(entry)
        _check_scenes(entry)
        _need(np.isfinite(_total_rewards(entry)).all(), 'a reward is not finite')
        if entry.rule is not None:
            _check_rule(entry, seeds, np.array(entry.rule.weights))


def _check_entry(entry: Entry) -> None:
    _need(entry.metric.text and entry.metric.source and entry.text.endswith('.'),
          'its text must end with a full stop, and its metric have a text and a source')
    _need((entry.task.reward, entry.task.ended) == (entry.scene.reward, entry.scene.ended),
          'a scenario is rewarded otherwise than its own scenes are')
    if entry.navigate is not None:
        load(entry.make_scene().scenario(1, 'navigate', entry.navigate))
        _need('goal' in entry.scene.inputs, 'navigate needs a goal, and its inputs have none')
    policy, worlds = entry.trained_policy(), worlds_of(entry, [1])
    _need(set(senses_of(entry.scene.inputs)) <= worlds.senses, 'its inputs are not sensed')
    weights = np.random.default_rng(1).normal(size=policy.weight_count)
    worlds.run(policy, weights, 3)


def _check_scenes(entry: Entry) -> None:
    scene = entry.make_scene()
    one, again, other = (load(scene.scenario(seed)) for seed in (1, 1, 2))
    _need(one.to_yaml() == again.to_yaml(), 'a seed gives two scenes; draw from `rng` only')
    _need([robot.pose for robot in one.robots] != [robot.pose for robot in other.robots],
          'another seed gives the same poses')
    _need(len(one.robots) == scene.team and one.duration == scene.seconds,
          'a scene has not the robots and the length of its task')
    episodes = Episodes(scene.scenario(0), 2, scene, {})
    episodes.seed(41)
    episodes.reset()
    worlds = worlds_of(entry, world_seeds(41, 2))
    names = ('start', 'wind_velocity', 'gust_velocity', 'gust_ticks')
    begun, expected = ([getattr(each, name) for name in names] for each in (
        episodes.worlds, worlds))
    _need(_same((*begun, episodes.goal), (*expected, scenario_goals(worlds.scenarios))),
          'an environment begins another scene than that of its seed')


def _total_rewards(entry: Entry) -> Floats:
    """Return what each robot that learns gets in 30 steps of three episodes, (3, N)."""
    scene = entry.make_scene()
    episodes = Episodes(scene.scenario(0), 3, scene, {})
    episodes.seed(1)
    episodes.reset()
    rng, total = np.random.default_rng(2), np.zeros((3, episodes.robots))
    for _ in range(30):
        reward = episodes.step(rng.uniform(-0.2, 1.0, (3, episodes.robots, 2))).reward
        _need(reward.shape == total.shape, 'not every robot has a reward')
        total += reward
    return total


def _play_randomly(entry: Entry, seeds: Sequence[int]) -> Track:
    """Return the episodes of seeds under actions that are drawn at each decision of the task."""
    worlds, scene = worlds_of(entry, seeds), entry.make_scene()
    goals = scenario_goals(worlds.scenarios)
    network = entry.network()
    acting = Interface(worlds, network, goals,
                       np.tile([network.max_speed, network.turn], (worlds.robots, 1)))
    rng = np.random.default_rng([1, *seeds])
    rows: list[Any] = []
    seen = worlds.observe()
    begin = seen.boxes
    for tick in range(round(scene.seconds / worlds.dt)):
        if tick % scene.hold == 0:
            acting.shares[:] = rng.uniform(-1.0, 1.0, (*seen.pose.shape[:2], 2))
        now, _, commands = acting.advance(1, None)
        rows.append((seen.pose, commands, seen.collided, seen.infrared))
        seen = now
    pose, command, collided, infrared = zip(*rows, strict=True)
    return Track(np.array(pose), np.array(command), np.array(collided),
                 None if infrared[0] is None else np.array(infrared),
                 goals, begin_and_end(begin, seen.boxes), worlds.dt)


def _check_rule(entry: Entry, seeds: Sequence[int], weights: Floats) -> None:
    policy = entry.rule_policy()
    rule, chance = play(entry, seeds, policy, weights), _play_randomly(entry, seeds)
    _need(_same(rule.pose[0], chance.pose[0]), 'its rule begins in other scenes than chance')
    gain = entry.measure(rule).mean() - entry.measure(chance).mean()
    _need(gain > 0.0 if entry.metric.higher else gain < 0.0,
          f'its rule is not better than chance: {entry.metric.name} differs by {gain:g}')
    _need(entry.score(rule).mean() > entry.score(chance).mean(), 'chance has the better score')
    with TemporaryDirectory() as folder:
        file = Path(folder) / 'rule.json'
        save_policy(file, policy, weights)
        given = entry.make_scene().scenario(7, 'function_policy', {'policy': str(file)})
        ran = run({**given, 'duration': 4.0}, overlaps=False)
    episode = worlds_of(entry, [7]).run(policy, weights, 20, keep=['pose'])
    _need(ran.poses[:20].tobytes() == np.array(episode.pose)[:, 0].tobytes(),
          'its rule drives a run with other bits than an episode')
    _need(np.ptp(ran.poses[:, :, :2], axis=0).max() > 0.01, 'its rule does not drive')
