"""One robot's controller with its generator and goal; when goals are announced."""

import math

import numpy as np
import pytest

from sbot_common.clock import Rate
from sbot_common.errors import InputError
from sbot_common.observation import ControlledRobot, _ask, checked_goal, make_observation
from sbot_common.random import CONTROLLER, TickGenerator, generator
from sbot_common.topics import GOAL, GOAL_REACHED
from sbot_common.user_code import UserCodeError

RATE = Rate(10, 1)
INPUTS = RATE.stamp_ns(7), np.zeros((3, 3)), {'wind': (1.0, 0.0)}


class Answer:
    """Answers always the same."""

    def __init__(self, answer=(1, 2)):
        self.answer = answer

    def step(self, observation, rng):
        self.seen, self.drawn = observation, rng.random()
        return self.answer


class Keeper(Answer):
    """Takes up goals one step later, and is there one step after that."""

    def __init__(self):
        super().__init__()
        self.goals, self.goal, self.just_reached, self._next = 0, None, None, None

    def set_goal(self, x, y):
        self._next = x, y

    def step(self, observation, rng):
        self.just_reached = self.goal if self._next is None and self.goals == 1 else None
        if self._next is not None:
            self.goal, self._next, self.goals = self._next, None, self.goals + 1
        return super().step(observation, rng)


def robot(controller, goal=None, robot_id=0):
    return ControlledRobot(robot_id, controller, TickGenerator(0, robot_id, CONTROLLER), goal,
                           RATE)


def test_the_controller_sees_the_inputs_and_its_goal_and_draws_from_its_generator():
    controller = Answer()
    assert robot(controller, (3.0, 4.0), robot_id=2).step(*INPUTS).command == (1.0, 0.0, 2.0)
    seen = controller.seen
    assert (seen.robot_id, seen.num_robots, seen.tick, seen.dt) == (2, 3, 7, 0.1)
    assert (seen.goal, seen.wind, seen.scan) == ((3.0, 4.0), (1.0, 0.0), None)
    assert controller.drawn == generator(0, 2, CONTROLLER, tick=7).random()


def test_a_goal_from_outside_is_announced_once():
    driven = robot(Answer(), (3.0, 4.0), robot_id=2)
    assert driven.step(*INPUTS) == ((1.0, 0.0, 2.0), [(GOAL, (3.0, 4.0))], None)
    assert driven.step(*INPUTS).announced == []
    driven.set_goal(3, 4)
    assert driven.goal == (3.0, 4.0)
    assert driven.step(*INPUTS).announced == [(GOAL, (3.0, 4.0))]


def test_a_controller_that_keeps_its_goal_says_when_it_is_new_and_reached():
    driven = robot(Keeper())
    driven.set_goal(1.0, 2.0)
    assert driven.step(*INPUTS).announced == [(GOAL, (1.0, 2.0))]
    assert driven.step(*INPUTS).announced == [(GOAL_REACHED, (1.0, 2.0))]


@pytest.mark.parametrize('answer', [3, (1.0, 2.0, 3.0), ('a', 1.0), (math.nan, 0.0), ('1', '2'),
    '12', {1.0, 2.0}, {1.0: 'v', 2.0: 'omega'}, (10**400, 0.0), (1j, 0.0)])
def test_an_answer_is_two_finite_numbers(answer):
    with pytest.raises(InputError, match=r'robot 0 at tick 7: Answer.step\(\): got .*, expected '
                                         r'\(vx, omega\): two finite numbers in m/s'):
        robot(Answer(answer)).step(*INPUTS)


@pytest.mark.parametrize('answer', [[1, 2.0], np.array([1, 2]), np.array([1, 2], np.float32),
                                    (np.float32(1), np.array(2.0))])
def test_numbers_of_any_kind_are_a_command(answer):
    assert robot(Answer(answer)).step(*INPUTS).command == (1.0, 0.0, 2.0)


class Fails:
    def step(self, observation, rng):
        return self.fail(observation)

    def fail(self, observation):
        if self.error is None:
            return observation.no_such_thing
        raise self.error


@pytest.mark.parametrize(('error', 'text'), [
    (ValueError('no more\n ideas'), 'ValueError: no more ideas'), (SystemExit(0), 'SystemExit: 0'),
    (SystemExit(), 'SystemExit'),
    (GeneratorExit('of asyncio'), 'GeneratorExit: of asyncio'),
    (None, "AttributeError: 'Observation' object has no attribute 'no_such_thing'")])
def test_a_controller_that_raises_is_named_and_its_own_frames_are_shown(error, text):
    controller = Fails()
    controller.error = error
    with pytest.raises(UserCodeError) as caught:
        robot(controller, robot_id=2).step(*INPUTS)
    assert str(caught.value) == f'robot 2 at tick 7: Fails.step(): {text}'
    shown = caught.value.traceback()
    assert 'in fail' in shown
    assert 'call_user_code' not in shown


@pytest.mark.parametrize('error', [MemoryError(), InputError('a line'), KeyboardInterrupt()])
def test_what_says_enough_by_itself_passes(error):
    controller = Fails()
    controller.error = error
    with pytest.raises(type(error)) as caught:
        robot(controller).step(*INPUTS)
    assert caught.value is error


@pytest.mark.parametrize('goal', [(math.nan, 0.0), (0.0, math.inf), ('a', 0.0), (None, 0.0)])
def test_goals_are_finite(goal):
    with pytest.raises(InputError, match='goal'):
        checked_goal(*goal)
    driven = robot(Answer(), (1.0, 1.0))
    with pytest.raises(InputError, match='goal'):
        driven.set_goal(*goal)
    assert driven.goal == (1.0, 1.0)


@pytest.mark.parametrize(('answer', 'holonomic'), [
    ((1, 2, 3), False), ((1, 2, math.nan), True), ((1, 2, 3, 4), True), ((1, 2, 'x'), True),
    ((1, 2, b'x', 3), True)])
def test_a_vy_is_refused_where_the_drive_has_none(answer, holonomic):
    observation = make_observation(1, RATE, None, *INPUTS)
    words = (r'expected \(vx, omega\) or \(vx, vy, omega\): finite numbers' if holonomic else
             '; vy must be 0, its drive does not move to the side')
    with pytest.raises(InputError, match=words):
        _ask(Answer(answer), observation, np.random.default_rng(0), holonomic)


def test_the_controller_of_a_robot_that_is_not_in_the_world_is_not_asked():
    driven = robot(Answer(), (3.0, 4.0))
    stamp_ns, poses, sensed = INPUTS
    away = np.array(poses)
    away[0, :2] = math.nan
    assert driven.step(stamp_ns, away, sensed) == ((0.0, 0.0, 0.0), [], None)
    assert driven.step(*INPUTS).announced == [(GOAL, (3.0, 4.0))]  # once it is there
