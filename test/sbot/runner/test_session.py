"""Sessions: equal to runs, tick by tick, however they go back and forth."""

import numpy as np
import pytest
from every_controller import cases, installed, write_files

import sbot
from sbot import testing
from sbot.controllers.navground import PREFIX
from sbot.runner.session import Session
from sbot_common.errors import InputError

pytestmark = pytest.mark.forked
EVERY = cases()


def alike(one, other):
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(alike(one[name], other[name]) for name in one)
    if isinstance(one, tuple):
        return all(map(alike, one, other))
    return one is other or np.array_equal(one, other, equal_nan=True)


def same(one, other):
    """Tell whether two runs are equal bit for bit, but for how long they took."""
    clock = {'wall_time_s': None, 'real_time_factor': None}
    return {**one.summary, **clock} == {**other.summary, **clock} and all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ('poses', 'commands', 'wind', 'collided'))


@pytest.mark.parametrize('case', EVERY, ids=[case.name for case in EVERY])
def test_a_session_that_goes_back_gives_the_run(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path)
    with installed(tmp_path):
        scenario = testing._swarm([testing._Case(*case)] * 3, tmp_path)
        session = Session(scenario)
        session.step(7)
        if not case.name.startswith(PREFIX):  # whose objects nobody can copy
            saved, seen = session.save(), session.observation(1)
            session.step(9)
            first = session.snapshot.pose
            session.restore(saved)
            assert alike(session.observation(1), seen)
            session.step(9)
            assert np.array_equal(session.snapshot.pose, first)
        assert same(session.run(), sbot.run(scenario))


def test_everything_that_moves_goes_back(tmp_path):
    """Obstacles, boxes, noise, turbulence, wakes, inertia, delayed commands, broadcasts."""
    scenario = sbot.load({
        'duration': 3, 'seed': 5,
        'world': {'bounds': [0, 0, 8, 8],
                  'moving': [{'path': [[4, 1], [4, 7]], 'radius': 0.3, 'speed': 0.5}],
                  'boxes': [{'center': [2.6, 2], 'size': [0.4, 0.4]}]},
        'bodies': {'robot': {'max_acceleration': 0.5, 'command_delay': 0.1}},
        'sensors': {'infrared': True, 'range_and_bearing': True, 'odometry_noise_slip': 0.02},
        'wind': {'wind_speed_mean': 0.2, 'wake': True, 'turbulence_speed': 0.1},
        'robots': [{'pose': [2, 2, 0], 'goal': [6, 2], 'controller': 'navigate'},
                   {'pose': [2, 4, 0], 'controller': 'potential_field'}]})
    whole = sbot.run(scenario)
    session = sbot.session(scenario)
    moments = []
    while not session.ended:
        if session.tick % 20 == 0:
            moments.append(session.save())
        session.step()
    for moment in reversed(moments):
        session.restore(moment)
        assert same(session.run(), whole)


def test_what_is_looked_at_is_what_the_controller_gets():
    got = []

    class Looks:
        def step(self, observation, rng):
            got.append(observation)
            return 0.3, 0.1
    session = sbot.session({'duration': 1, 'world': {'bounds': [0, 0, 4, 4]},
                            'wind': {'wind_speed_mean': 0.1},
                            'robots': [{'pose': [2, 2, 0], 'controller': Looks}]})
    assert isinstance(session.controller(0), Looks)
    for tick in range(5):
        seen = session.observation(0)
        session.step()
        assert alike(seen, got[tick])
        assert (session.tick, session.seconds) == (tick + 1, pytest.approx((tick + 1) / 30))


def test_with_inexact_poses_controllers_and_what_they_are_given_are_the_same():
    class Noting:
        def __init__(self):
            self.speed, self.seen = 0.5, []

        def step(self, observation, rng):
            self.seen.append(observation.poses[0].copy())
            return self.speed, 0.3

    given = {'duration': 5, 'world': {'bounds': [-4, -4, 9, 9]},
             'knowledge': {'pose_delay': 0.2, 'pose_noise_std': 0.01},
             'robots': [{'pose': [0, 0, 0], 'controller': Noting()}]}
    session = sbot.session(given)
    for _ in range(20):
        looked = session.observation(0).poses[0]
        session.step()
        np.testing.assert_array_equal(session.controller(0).seen[-1], looked)
    assert isinstance(session.controller(0), Noting)
    session.controller(0).speed = 0.0
    session.step()
    before = session.snapshot.pose.copy()
    session.step()
    np.testing.assert_array_equal(session.snapshot.pose[0, :2], before[0, :2])


def test_an_ended_session_says_so_and_can_go_back():
    session = sbot.session('single_robot', duration=0.5)
    saved = session.save()
    session.step(1000)
    assert (session.tick, session.ended) == (15, True)
    with pytest.raises(InputError, match=r'the run has ended at tick 15'):
        session.step()
    session.restore(saved)
    assert (session.tick, session.ended) == (0, False)


def test_what_save_has_not_returned_is_refused():
    with pytest.raises(InputError, match=r'^saved: got 3, expected what save\(\)'):
        sbot.session('single_robot', duration=0.1).restore(3)


def test_a_robot_without_controller_and_an_object_that_cannot_be_copied_are_named():
    class Holds:
        def __init__(self):
            self.numbers = (number for number in range(9))

        def step(self, observation, rng):
            return 0.0, 0.0
    session = sbot.session({'duration': 1, 'world': {'bounds': [0, 0, 4, 4]},
                            'robots': [{'pose': [1, 2, 0], 'controller': Holds},
                                       {'pose': [3, 2, 0], 'controller': 'none'}]})
    with pytest.raises(InputError, match=r'robot: got 1, expected .* with a controller: 0'):
        session.observation(1)
    with pytest.raises(InputError, match=r'a controller cannot be copied: .*generator'):
        session.save()
