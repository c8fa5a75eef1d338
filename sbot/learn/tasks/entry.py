# SPDX-License-Identifier: Apache-2.0
"""Entry of a task: its scenes, reward, metric and rule; measures that several tasks share."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot.controllers.neural.function_policy import FunctionPolicy, function_policy
from sbot.controllers.neural.network import Network, make_network
from sbot.learn.task import Task
from sbot.worlds.many import Worlds
from sbot.worlds.setting import LARGEST_SEED
from sbot_common.arguments import numbers, whole
from sbot_common.arrays import Flags, Floats
from sbot_common.errors import InputError, bad_value
from sbot_common.user_code import call_user_code
from wind_model.parameters import WindParameters, unit

Values = dict[str, Any]  # of a scenario file


class Track(NamedTuple):
    """Records of K episodes of N robots; row t of T belongs to tick t."""

    pose: Floats  # (T, K, N, 3) x, y (m), yaw (rad)
    command: Floats  # (T, K, N, 3) vx, vy (m/s), omega (rad/s), decided in that tick
    collided: NDArray[np.bool_]  # (T, K, N) touched something in the last tick
    infrared: Floats | None  # (T, K, N, 15) readings; None without infrared
    goal: Floats  # (K, N, 2) m; NaN: none
    boxes: Floats | None  # (2, K, B, 3) x, y (m), yaw (rad) at the beginning and the end
    dt: float  # s

    def touched(self, arrived: Flags | None) -> Flags:
        """Return in which ticks robots touched something before they had arrived, (T, K, N)."""
        contact: Flags = self.collided.copy()
        if arrived is not None:  # a contact in the tick of the arrival counts
            contact[1:] &= ~np.logical_or.accumulate(arrived, axis=0)[:-1]
        return contact

    def without_contact(self) -> Floats:
        """Return the mean share of ticks in which robots touch nothing, (K,)."""
        return np.asarray(1.0 - self.collided.mean(axis=(0, 2)))

    def scratches(self, arrived: Flags | None = None) -> Floats:
        """Return the mean of c / (0.5 + c) over robots, c seconds of contact on their way; (K,).

        As a price in a fitness it makes each shorter contact better, and few short ones dear.
        """
        contact = self.touched(arrived).sum(axis=0) * self.dt
        return np.asarray((contact / (0.5 + contact)).mean(axis=1))


class Metric(NamedTuple):
    """A number for an episode, which compares policies."""

    name: str
    unit: str  # '1' or '': none
    text: str  # description
    source: str  # of the definition: a paper, or 'our own'; a column of the table of tasks
    of: Callable[[Track], Floats]  # (K,)
    higher: bool = True  # is better

    @property
    def has_unit(self) -> bool:
        """Whether texts name the unit."""
        return self.unit not in ('', '1')


class Scene(Task):
    """A task with its own scenes, one for each seed.

    The episode of seed s is the scenario ``scenario(s)``. Environments draw the same values as the
    scenario, so ``sbot.run`` can test a trained policy.
    """

    arena: ClassVar[Values] = {}
    """Values of the scenario. ``robots`` has one entry, which is used for all robots, or entries
    of several kinds of robots, each with its ``count`` (default 1). A kind may have a
    ``controller`` of its own, for robots in ``scripted``."""
    team: int = 1
    """Number of robots."""
    maps: Sequence[Values] = ()
    """Obstacles by episode: each draws one of these, which replace keys of the arena's ``world``.
    They do not move."""
    level: float = 1.0
    """How hard scenes are, for what ``start`` and the others draw. It may change in training (a
    curriculum)."""
    name: str = ''
    """Name of the scenarios, which runs and pictures show; '': that of the task or the class."""

    def start(self, rng: np.random.Generator) -> Floats | None:
        """Draw poses (N, 3) m, m, rad; None: the scenario's seed places the robots."""
        return None

    def aims(self, rng: np.random.Generator, start: Floats) -> Floats | None:
        """Draw goals (N, 2) m of robots that start at (N, 3); None: without goals."""
        return None

    def weather(self, rng: np.random.Generator) -> Values | None:
        """Draw the wind with the keys of a scenario: direction and speed, also of the gust."""
        return None

    def boxes(self, rng: np.random.Generator) -> Floats | None:
        """Draw poses (B, 3) m, m, rad of the arena's boxes; None: where the arena has them."""
        return None

    def begin(self, worlds: Worlds, world: int, rng: np.random.Generator) -> Floats | None:
        """Draw map, wind, boxes and poses of an episode."""
        if self.maps:
            worlds.play(world, int(rng.integers(len(self.maps))))
        wind = self.weather(rng)
        if wind is None and type(self).weather is not Scene.weather:  # not the last episode's
            wind = {key: value for key, value in self.arena.get('wind', {}).items()
                    if key in WindParameters._fields}
        if wind is not None:
            flow = WindParameters(**wind)
            worlds.wind_velocity[world] = flow.mean_velocity
            worlds.gust_velocity[world] = flow.wind_gust_speed_mean * unit(
                flow.wind_gust_direction)
            worlds.gust_ticks[world] = flow.gust_ticks(worlds.scenarios[world].rate)
        boxes = self.drawn_by('boxes', rng)
        if boxes is not None:
            worlds.box_start[world] = boxes
        return self.start(rng)

    def goals(self, worlds: Worlds, world: int, rng: np.random.Generator) -> Floats | None:
        """Draw the goals of an episode."""
        return self.aims(rng, worlds.start[world])

    def scenario(self, seed: int, controller: str = 'none',
                 parameters: Mapping[str, Any] | None = None) -> Values:
        """Return the values of a scenario file: the episode of a seed, with a controller.

        Raises
        ------
        InputError
            for a seed that is not a whole number >= 0, or a wrong number of poses or goals.
        UserCodeError
            if a method of the task raises.

        """
        seed = whole('seed', seed, 0, LARGEST_SEED)
        kinds = self.arena.get('robots') if isinstance(self.arena, Mapping) else None
        if not isinstance(kinds, list) or not kinds or not all(
                isinstance(kind, Mapping) for kind in kinds) or self.team != sum(
                    self._count(kind) for kind in kinds):
            raise bad_value(f'arena of {type(self).__name__}', self.arena, 'values of a scenario '
                            'with `robots`, a list of one entry that all robots have, or of '
                            f'entries whose `count` make {self.team} robots')
        rng = np.random.default_rng(seed)
        ground = self.maps[int(rng.integers(len(self.maps)))] if self.maps else {}
        wind, boxes = self.drawn_by('weather', rng), self.drawn_by('boxes', rng)
        start = self.drawn_by('start', rng)
        given = {'parameters': parameters} if parameters else {}
        robots = [{**({} if 'controller' in kind else {'controller': controller, **given}),
                   **kind, 'count': self._count(kind)} for kind in kinds]
        if start is not None:
            goals = self.drawn_by('aims', rng, start)
            each = [kind for kind in robots for _ in range(kind.pop('count'))]
            # A copy for each robot: a change of one leaves the others, and YAML has no anchors.
            robots = [{**deepcopy(kind), 'pose': pose}
                      for kind, pose in zip(each, start.tolist(), strict=True)]
            if goals is not None:
                robots = [{**robot, 'goal': goal}
                          for robot, goal in zip(robots, goals.tolist(), strict=True)]
        found = {**self.arena, 'robots': robots, 'duration': self.seconds, 'seed': seed}
        if ground:
            found['world'] = {**found['world'], **ground}
        if boxes is not None:
            found['world'] = {**found['world'], 'boxes': [
                {**box, 'center': row[:2], 'yaw': row[2]}
                for box, row in zip(found['world']['boxes'], boxes.tolist(), strict=True)]}
        return {'name': self.name or type(self).__name__, **found,
                **({} if wind is None else {'wind': wind})}

    def pool(self) -> list[Values]:
        """Return a scenario of each of ``maps``."""
        first = self.scenario(0)
        return [{**first, 'world': {**self.arena['world'], **each}} for each in self.maps]

    def _count(self, kind: Mapping[str, Any]) -> int:
        """Return how many robots an entry of the arena makes."""
        return self.team if len(self.arena['robots']) == 1 else int(kind.get('count', 1))

    def drawn_by(self, method: str, *arguments: Any) -> Any:  # noqa: ANN401
        """Return what a method of an entry draws: poses (team or boxes, 3), goals (team, 2), wind.

        Scenarios and training both draw by this, so that they refuse the same.

        Raises
        ------
        InputError
            for another shape, or numbers that are not finite.
        UserCodeError
            if the method raises.

        """
        where = f'{type(self).__name__}.{method}()'
        value = call_user_code(lambda: getattr(self, method)(*arguments), lambda: where)
        if value is None:
            return None
        if method == 'weather':
            if not isinstance(value, Mapping):
                raise bad_value(where, value, 'a dictionary, or None')
            return value
        rows = len(self.arena['world']['boxes']) if method == 'boxes' else self.team
        return numbers(where, value, (rows, 2 if method == 'aims' else 3))


class Rule(NamedTuple):
    """A rule written by hand: a function for one robot, as ``sbot.function_policy`` takes it."""

    function: Callable[..., None]
    weights: tuple[float, ...] = ()
    memory: int = 0
    constants: tuple[str, ...] = ()  # of the first weights: those that the proof tunes


class Entry(NamedTuple):
    """A task with its name, metric and baselines, of the package or of your own."""

    name: str  # of your own: replaced by ``module:ENTRY``, by which it is given
    text: str  # a line on what it is
    task: type[Task]  # for any scenario
    scene: type[Scene]  # the same with scenes of its own
    metric: Metric
    rule: Rule | None = None  # a baseline; None: there is none
    navigate: Mapping[str, Any] | None = None  # its parameters; None: it has nothing to do there
    fitness: Callable[[Track], Floats] | None = None  # (K,) what evolution makes large
    hidden: tuple[int, ...] = ()  # neurons of the network that evolution trains
    kind: str = ''  # of that network; '': mlp, or perceptron without hidden neurons
    infrared: bool = False  # whether the metric needs the readings
    learned: Rule | None = None  # a function whose weights are trained, instead of a network
    arrived: Callable[[Track], Flags] | None = None  # (T, K, N) who is there; None: no end

    def make_scene(self) -> Scene:
        """Return an object of the scene's class, whose scenarios have the task's name by default.

        Raises
        ------
        UserCodeError
            if the class raises.

        """
        scene = call_user_code(self.scene, lambda: f'{self.scene.__name__}()')
        if not scene.name:  # of 'module:ENTRY' the module
            scene.name = self.name.partition(':')[0].rpartition('.')[2]
        return scene

    def score(self, track: Track) -> Floats:
        """Return the score that evolution maximises, (K,)."""
        if self.fitness is not None:
            return self._answer('fitness', self.fitness, track)
        return self.measure(track) if self.metric.higher else -self.measure(track)

    def measure(self, track: Track) -> Floats:
        """Return the metric of each episode, (K,).

        Raises
        ------
        InputError
            if the metric has another shape, or is not finite.
        UserCodeError
            if it raises.

        """
        return self._answer('metric', self.metric.of, track)

    def _answer(self, what: str, of: Callable[[Track], Floats], track: Track) -> Floats:
        where = f'{what} of {self.name}'
        values = call_user_code(lambda: of(track), lambda: where)
        return numbers(where, values, (track.pose.shape[1],))  # one for each episode

    def rule_policy(self) -> FunctionPolicy:
        """Return the hand-written rule, compiled; InputError if there is none."""
        if self.rule is None:
            raise InputError(f'{self.name}: rule_policy() needs a rule; give the Entry one')
        return _policy_of(self.rule, self.scene)

    def trained_policy(self) -> Network | FunctionPolicy:
        """Return the policy whose weights evolution finds."""
        if self.learned is not None:
            return _policy_of(self.learned, self.scene)
        return self.network()

    def network(self) -> Network:
        """Return the network of the scene's inputs and outputs with ``hidden`` neurons.

        Raises
        ------
        InputError
            naming the attribute of the scene, or ``hidden``.

        """
        scene = self.scene
        return make_network(self.kind or ('mlp' if self.hidden else 'perceptron'), scene.inputs,
                            hidden=self.hidden, **_limits(scene))


def _policy_of(rule: Rule, scene: type[Scene]) -> FunctionPolicy:
    """Return a rule with the inputs and outputs of a scene."""
    return function_policy(rule.function, scene.inputs, weights=len(rule.weights),
                           memory=rule.memory, **_limits(scene))


def _limits(scene: type[Scene]) -> dict[str, Any]:
    return {'outputs': scene.outputs, 'max_speed': scene.max_speed, 'turn': scene.turn}


# What several tasks share: a measure, a price, robots.

CONTACT = 0.05  # reward that a decision costs which ends in a contact


def distance(a: Floats, b: Floats) -> Floats:
    """Return distances (m) of points (..., 2)."""
    x, y = a[..., 0] - b[..., 0], a[..., 1] - b[..., 1]  # long rows: a third of the time of a - b
    return np.asarray(np.sqrt(x * x + y * y))


def less_scratches(metric: Callable[[Track], Floats]) -> Callable[[Track], Floats]:
    """Return a fitness: a metric, less 0.3 of the price of contacts (``Track.scratches``)."""
    return lambda track: metric(track) - 0.3 * track.scratches()


# S-bots that sense infrared, and each other by range and bearing; at 10 Hz.
S_BOT_SPEED, S_BOT_WHEELS = 0.08, 0.095  # m/s of a wheel, m between the wheels
ROBOT_SPEED, ROBOT_TURN = 1.5, 3.0  # m/s, rad/s: robots of 0.3 m radius
NAVIGATE = {'forward_speed_mps': ROBOT_SPEED, 'rotate_speed_radps': ROBOT_TURN}


class SBots(Scene):
    """Scenes of s-bots."""

    max_speed, turn = S_BOT_SPEED, S_BOT_WHEELS


def s_bots(width: float, height: float, **world: object) -> Values:
    """Return an arena (m) of s-bots that sense infrared and, up to 1 m, each other."""
    return {'rate': 10, 'world': {'bounds': [0, 0, width, height], **world},
            'robots': [{'body': 's-bot'}],
            'sensors': {'infrared': True, 'infrared_noise': 0.1, 'range_and_bearing': True,
                        'rab_range': 1.0, 'scan_beams': 1}}


def robots(world: Values, beams: int, reach: float, tolerance: float) -> Values:
    """Return an arena of robots with lasers of few beams and short reach (m), which see all."""
    return {'rate': 20, 'world': world, 'robots': [{'body': 'robot', 'goal_tolerance': tolerance}],
            'sensors': {'scan_beams': beams, 'scan_range_max': reach, 'scan_noise_std': 0.01,
                        'scan_sees_robots': True}}
