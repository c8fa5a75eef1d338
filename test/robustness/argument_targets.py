"""Wrong arguments for what Python programs call: worlds, environments, networks, Fast2D.

An input is the seed of a generator that picks a call and, for some of its arguments, something
else than it takes. A call that is refused has changed nothing; one that is not ends in numbers.
"""

import itertools
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import sbot
import sbot.learn
from sbot.scenario.model import Scenario
from sbot_common.errors import InputError
from sbot_sim.fast2d import Fast2D

Pick = Callable[[Any], Any]

ARENA = {'bounds': [0, 0, 3, 3], 'circles': [{'center': [2, 2], 'radius': 0.3}]}
ROBOTS = [{'pose': [0.5 + 0.4 * i, 0.6, 0.3], 'body': 's-bot', 'controller': 'none',
           'goal': [2.5, 2.5]} for i in range(3)]
PLAIN = {'name': 'plain', 'rate': 10, 'seed': 4, 'world': ARENA, 'robots': ROBOTS,
         'sensors': {'infrared': True, 'scan_beams': 17, 'scan_noise_std': 0.01,
                     'odometry_noise_slip': 0.02}}
HEARING = {**PLAIN, 'sensors': {**PLAIN['sensors'], 'range_and_bearing': True},
           'wind': {'wind_speed_mean': 0.05, 'wake': True}}
PLACED = {**PLAIN, 'robots': [{'count': 3, 'body': 's-bot', 'controller': 'none'}]}
IMPULSES = {**PLAIN, 'bodies': {'s-bot': {'drive': 'impulse'}}}
STEERED = {**PLAIN, 'bodies': {'s-bot': {'drive': 'ackermann'}}}
ALONE = {**PLAIN, 'robots': ROBOTS[:1]}


@cache
def scenarios() -> list[Scenario]:
    """Return small scenarios, loaded once."""
    return [sbot.load(each) for each in (PLAIN, HEARING, PLACED, IMPULSES, STEERED, ALONE)]


class Odd:
    """Refuses whatever is asked of it."""

    def __array__(self, *given: object, **named: object) -> Any:
        raise RuntimeError('no array')

    def __float__(self) -> float:
        raise RuntimeError('no number')

    def __len__(self) -> int:
        raise RuntimeError('no length')

    def __repr__(self) -> str:
        raise RuntimeError('no words')


# None of the whole numbers is a count that works but takes long.
VALUES: list[Callable[[], Any]] = [
    *(lambda value=value: value for value in (
        None, True, False, -1, 0, 1, 2, 3, 2**31, 2**63 - 1, 2**63, -2**63, 2**64, 10**400, 1.5,
        -0.0, 1.0, math.nan, math.inf, -math.inf, 1e308, 5e-324, 1j, '', 'x', '1', '\0',
        'x' * 5000, 'pose', 'infrared', 'goal', b'x', b'1', (), [], {}, [1], [[1]], [[1], [1, 2]],
        [None], ['x'], [math.nan], [10**400], [2**63], [2**64, -1], [True], [[]], {'a': 1}, {1: 2},
        range(3), range(10**30), Ellipsis, NotImplemented, int, object, print, len, math,
        Fraction(1, 3), Decimal('1.5'), frozenset({1}), slice(3), memoryview(b'abc')))]
VALUES += [
    object, Odd, set, bytearray, itertools.count, lambda: (i for i in range(3)), lambda: [Odd()],
    lambda: np.float64(math.nan), lambda: np.int64(2), lambda: np.uint64(2**64 - 1),
    lambda: np.float32(0.5), lambda: np.bool_(True), lambda: np.str_('x'),
    lambda: np.datetime64('2026-01-01'), lambda: np.array(1.0), lambda: np.array(None),
    lambda: np.array(['1', '2']), lambda: np.zeros(0), lambda: np.zeros((0, 3, 2)),
    lambda: np.zeros(3, 'i4,f8'), lambda: np.zeros((3, 2), np.complex128),
    lambda: np.zeros((3, 2), object), lambda: np.full((3, 2), 2**63, np.uint64),
    lambda: np.ma.masked_all((3, 2)), lambda: np.array([[1.0, 2.0]] * 3).T,
    lambda: np.broadcast_to(0.0, (10**6, 10**6)), lambda: np.asmatrix(np.zeros((3, 2))),
    lambda: np.zeros((3, 2), np.float16), lambda: np.arange(6).view(np.recarray)]
KEYS = ['seed', 'rate', 'duration', 'world', 'world.bounds', 'robots', 'robots.0.pose', 'wind',
        'wind.wind_speed_mean', 'sensors.scan_beams', 'sensors', 'bodies', 'bodies.s-bot.radius',
        'controllers', 'nothing', 'robots.9.pose', 'name']


def _changed(good: Any, random: Random) -> Any:
    """Return something like a good argument: another shape, type, or number in it."""
    kind = random.randrange(8)
    if isinstance(good, np.ndarray) and good.ndim > 0:
        if kind == 0:
            return good.T
        if kind == 1:
            return good[..., :-1]
        if kind == 2:
            return good[None]
        if kind == 3:
            return np.concatenate([good, good])
        if kind == 4 and good.size and good.dtype.kind == 'f':
            changed = good.copy()
            changed.flat[random.randrange(good.size)] = random.choice(
                [math.nan, math.inf, 1e308, -1e308, 5e-324, 1e18])
            return changed
        if kind == 5:
            return good.astype(random.choice([bool, np.int8, np.uint64, np.float32, object, str]))
        return good.tolist() if kind == 6 else [[good]]
    if isinstance(good, list) and good:
        return [good + good, good[:-1], good[0], [good], tuple(good), (each for each in good),
                dict.fromkeys(map(str, good)), [*good, None]][kind]
    return random.choice(VALUES)()


def picker(random: Random, wrong: int) -> Pick:
    """Return a function that returns its argument, or now and then something else."""
    left = [wrong]

    def pick(good: Any) -> Any:
        if left[0] and random.random() < 0.5:
            left[0] -= 1
            return (_changed(good, random) if random.random() < 0.5 else random.choice(VALUES)())
        return good
    return pick


def _refused_unchanged(state: Callable[[], list[np.ndarray]], call: Callable[[], Any]) -> None:
    before = [np.array(each) for each in state()]
    try:
        call()
    except InputError:
        for old, new in zip(before, state(), strict=True):
            assert np.array_equal(old, new, equal_nan=True), 'refused, but changed'
        raise


def _state(worlds: Any) -> list[np.ndarray]:
    s = worlds.state
    return [s.tick, s.pose, s.command, s.rab_next, s.seed, worlds.seeds, worlds.start]


def _check_going_on(world: Any, shape: tuple[int, ...]) -> None:
    seen = world.step(np.zeros((*shape, 2)))
    assert seen.pose.shape == (*shape, 3)
    assert np.isfinite(seen.pose).all(), 'poses that are no numbers'


def _policies(random: Random, pick: Pick) -> tuple[Any, Any]:
    """Return a policy or something else, and weights for it."""
    inputs = random.choice([['infrared'], ['goal'], ['pose', 'twist'], ['scan:3'], ['wind']])
    kind, hidden = random.choice([('perceptron', []), ('mlp', [2]), ('ctrnn', [3])])
    network = sbot.network(pick(kind), pick(inputs), hidden=pick(hidden),
                           outputs=pick(random.choice(['wheels', 'twist'])),
                           max_speed=pick(0.1), turn=pick(0.2))
    return network, np.linspace(-1.0, 1.0, network.weight_count)


def call_world(random: Random, pick: Pick) -> None:
    """Make a single world and call one of its methods."""
    scenario = random.choice(scenarios())
    n, hears = len(scenario.robots), bool(scenario.sensors.neighbours.range_and_bearing)
    named = {key: pick(value) for key, value in (
        ('seed', 3), ('sense', ['scan', 'wind', 'infrared', 'twist'])) if random.random() < 0.3}
    if random.random() < 0.1:
        named |= {random.choice(KEYS): pick(2)}
    world = sbot.World(pick(scenario) if random.random() < 0.1 else scenario, **named)
    _check_going_on(world, (n,))
    poses = world.observe().pose

    def call() -> None:
        choice = random.randrange(4)
        if choice == 0:
            world.reset(pick(5), start=pick(random.choice([None, poses])))
        elif choice == 1:
            policy, weights = _policies(random, pick)
            world.run(pick(policy), pick(weights), pick(3), goals=pick(np.ones((n, 2))),
                      keep=pick(['pose', 'command']))
        else:
            data = np.ones((n, 10), np.uint8) if hears else None
            world.step(pick(np.full((n, 2), 0.1)), wheels=pick(False), data=pick(data),
                       ticks=pick(2))
    _refused_unchanged(lambda: _state(world.worlds), call)
    _check_going_on(world, (n,))


def call_worlds(random: Random, pick: Pick) -> None:
    """Make several worlds and call one of their methods."""
    scenario, count = random.choice(scenarios()), random.choice([1, 2, 5])
    n, hears = len(scenario.robots), bool(scenario.sensors.neighbours.range_and_bearing)
    source = random.choice([scenario, scenario, [scenario] * count])
    named = {key: pick(value) for key, value in (
        ('seeds', np.arange(count)), ('sense', ['scan', 'wind', 'infrared', 'twist']),
        ('threads', 2)) if random.random() < 0.3}
    worlds = sbot.Worlds(pick(source) if random.random() < 0.1 else source, pick(count), **named)
    k = worlds.count
    _check_going_on(worlds, (k, n))
    poses = worlds.observe().pose

    def call() -> None:
        choice = random.randrange(5)
        if choice <= 1:
            chosen = random.choice([None, np.ones(k, bool), np.arange(k), [0]])
            worlds.reset(pick(random.choice([None, np.arange(k)])),
                         start=pick(random.choice([None, poses, poses[0]])), worlds=pick(chosen))
        elif choice == 2:
            policy, weights = _policies(random, pick)
            worlds.run(pick(policy), pick(weights), pick(3), goals=pick(np.ones((k, n, 2))),
                       keep=pick(['pose', 'wind', 'infrared', 'collided']))
        else:
            data = np.ones((k, n, 10), np.uint8) if hears else None
            worlds.step(pick(np.full((k, n, 2), 0.1)), wheels=pick(True), data=pick(data),
                        ticks=pick(2))
    _refused_unchanged(lambda: _state(worlds), call)
    _check_going_on(worlds, (k, n))


def _own_policy(inputs: Any, weights: Any, memory: Any, outputs: Any, layers: Any,
                dt: float) -> None:
    outputs[0] = weights[0]


def call_policy(random: Random, pick: Pick) -> None:
    """Describe a policy."""
    sbot.function_policy(pick(_own_policy), pick(['goal']), weights=pick(2), memory=pick(1),
                         outputs=pick('twist'), max_speed=pick(0.1), turn=pick(0.1))


def call_network_file(random: Random, pick: Pick, folder: Path) -> None:
    """Write a network to a file and read it."""
    network, weights = _policies(random, pick)
    sbot.save_network(folder / 'network.json', network, pick(weights))
    sbot.load_network(folder / 'network.json')


def call_environment(random: Random, pick: Pick) -> None:
    """Make an environment for learning, reset it and step it."""
    scenario, task = random.choice(scenarios()), random.choice(['reach_goal', 'avoid_obstacles'])
    if scenario.robots[0].goal is None:
        task = 'aggregate'
    n, mode = len(scenario.robots), pick(None)
    if isinstance(mode, str) and mode == 'human':
        mode = None  # opens a browser
    kind = random.randrange(3)
    shares = np.full((n, 2), 0.5)
    if kind == 0:
        single = sbot.learn.env(scenario, task=pick(task), render_mode=mode)
        single.reset(seed=pick(3), options=pick(None))
        single.step(pick(shares[0] if n == 1 else shares))
        seen, reward, *_ = single.step(shares[0] if n == 1 else shares)
    elif kind == 1:
        count = 3
        many = sbot.learn.vector_env(scenario, pick(count), task=pick(task), render_mode=mode,
                                     threads=pick(1))
        count = many.num_envs
        many.reset(seed=pick(3))
        mask = np.ones(count, bool)
        many.reset(options=pick(random.choice([None, {'reset_mask': pick(mask)}])))
        actions = np.full((count, 2) if n == 1 else (count, n, 2), 0.5)
        many.step(pick(actions))
        seen, reward, *_ = many.step(actions)
    else:
        swarm = sbot.learn.parallel_env(scenario, task=pick(task), render_mode=mode)
        swarm.reset(seed=pick(3), options=pick(None))
        acting = {agent: pick(shares[0]) for agent in swarm.agents}
        swarm.step(pick(acting))
        found, rewards, *_ = swarm.step(dict.fromkeys(swarm.agents, shares[0]))
        seen, reward = np.array([*found.values()]), np.array([*rewards.values()])
    assert np.isfinite(np.asarray(seen)).all(), 'observations that are no numbers'
    assert np.isfinite(np.asarray(reward)).all(), 'rewards that are no numbers'


def call_fast2d(random: Random, pick: Pick) -> None:
    """Build a Fast2D world with wrong arguments."""
    with Fast2D() as world:
        robot, solid = world.create_robot(), world.create_solid()
        world.object_set_bounding_radius(pick(robot), pick(0.1))
        world.object_set_bounding_rectangle(pick(solid), pick([-1, 1, 1, -1]),
                                            pick([-1, -1, 1, 1]))
        world.object_set_position(pick(solid), pick(3.0), pick(0.0))
        world.object_set_mass(pick(robot), pick(1.0))
        sensor = world.create_irsensor(pick(robot), pick(0.0), pick(0.0), pick(0.0), pick(1.0),
                                       pick(0.5), pick(2), pick([0.5, 0.5]))
        world.robot_add_sensor(pick(robot), pick(sensor), pick(0.0), pick(0.0), pick(0.0))
        world.add_object(pick(robot)), world.add_object(pick(solid))
        world.robot_set_speed(pick(robot), pick(0.1), pick(0.0))
        world.step(pick(0.1))
        assert math.isfinite(world.sensor_get_activation(pick(sensor)))
        assert all(map(math.isfinite, world.object_get_transform(pick(robot))))


CALLS = [call_world, call_worlds, call_worlds, call_policy, call_environment, call_fast2d]


def read_arguments(data: bytes, folder: Path) -> None:
    """Call something with as many wrong arguments as the first byte says."""
    random = Random(data)
    pick = picker(random, data[0] if data else 0)
    call = random.choice([*CALLS, None])
    if call is None:
        call_network_file(random, pick, folder)
    else:
        call(random, pick)


def argument_seeds(folder: Path) -> list[bytes]:
    """Return inputs of calls that have nothing wrong."""
    return [bytes([0, i]) for i in range(30)]


def make_arguments(seeds: list[bytes], random: Random) -> bytes:
    """Return an input: mostly with one wrong argument."""
    return bytes([random.choice([0, 1, 1, 1, 1, 2, 3]), *random.randbytes(8)])
