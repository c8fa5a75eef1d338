"""Controllers talk, know their odometry, and are told which sensor they lack."""

import numpy as np
import pytest

import sbot
from sbot_common.errors import InputError
from sbot_common.topics import RAB_DATA
from sbot_sim.messages.broadcast import read_rab_data

WORLD = {'rate': 10, 'duration': 1, 'world': {'bounds': [0, 0, 9, 9]}}


class Talker:
    """Says its tick at even ticks; remembers what it hears."""

    def __init__(self):
        self.heard = []

    def step(self, observation, rng):
        self.heard.append(observation.neighbours.data[:, :3].tolist())
        said = bytes([observation.robot_id, 100 + observation.tick])
        return (0.1, 0.2, said) if observation.tick % 2 == 0 else (0.1, 0.2)


class Navigator:
    def __init__(self):
        self.known = []

    def step(self, observation, rng):
        self.known.append(observation.odometry)
        return 0.2, 0.3


def run(controllers, record=None, **sensors):
    return sbot.run({**WORLD, 'sensors': sensors, 'robots': [
        {'pose': [3 + i, 3, 0], 'controller': each, 'body': 'foot-bot'}
        for i, each in enumerate(controllers)]}, record=record)


def test_what_one_says_others_hear_from_the_next_tick_on(tmp_path):
    talkers = [Talker(), Talker()]
    result = run(talkers, tmp_path / 'bag', range_and_bearing=True)
    assert talkers[0].heard[0] == [[85, 0, 0]]  # the radius (mm), and nothing yet
    assert talkers[0].heard[1] == talkers[0].heard[2] == [[85, 1, 100]]
    assert talkers[1].heard[3] == talkers[1].heard[4] == [[85, 0, 102]]
    said = [read_rab_data(message.payload)[1:3].tolist()
            for message in sbot.Bag(tmp_path / 'bag').messages({f'/robot_1/{RAB_DATA.name}'})]
    assert said == [[1, 100 + tick] for tick in range(0, 11, 2)]
    again = [Talker(), Talker()]
    assert sbot.replay(tmp_path / 'bag', controllers=dict(
        zip(result.scenario.given, again, strict=True))).equal
    assert again[0].heard == talkers[0].heard


@pytest.mark.parametrize('answer', [(0.0, 0.0, b'ten bytes!'), (0.0, 0.0, 'text'),
                                    (0.0, 0.0, [1, 2]), (0.0, 0.0, b'', b'')])
def test_at_most_nine_bytes(answer):
    class Wrong:
        def step(self, observation, rng):
            return answer

    with pytest.raises(InputError, match='at most 9 bytes'):
        run([Wrong()], range_and_bearing=True)


def test_talking_to_nobody_names_the_key():
    class Lonely:
        def step(self, observation, rng):
            return 0.0, 0.0, b'hello'

    with pytest.raises(InputError, match=r'sensors\.range_and_bearing: true'):
        run([Lonely()])


@pytest.mark.parametrize(('name', 'key'), [('infrared', 'sensors.infrared: true'),
                                           ('neighbours', 'sensors.range_and_bearing: true')])
def test_a_missing_sensor_names_its_key(name, key):
    class Blind:
        def step(self, observation, rng):
            return getattr(observation, name)[0], 0.0

    with pytest.raises(InputError, match=f'observation.{name} needs .*robot 0 .* {key}'):
        run([Blind()])
    assert run([Navigator()], infrared=True, range_and_bearing=True)


def test_odometry_is_that_of_the_wheels_in_its_own_frame():
    navigator = Navigator()
    result = sbot.run({**WORLD, 'wind': {'wind_speed_mean': 0.3}, 'robots': [
        {'pose': [3, 3, 1.0], 'controller': navigator, 'body': 'foot-bot'}]}, sense=['odometry'])
    known = np.array(navigator.known)
    assert known[:, :2] == pytest.approx(result.odometry[:, 0, :2], abs=0)
    assert known[:, 2] == pytest.approx(result.odometry[:, 0, 2], abs=1e-15)
    assert known[0].tolist() == [0, 0, 0, 0, 0, 0]
    assert known[5, 3:] == pytest.approx([0.2, 0.3, 0.0])
    assert known[-1, 2] == pytest.approx(0.3 * 1.0)


def test_the_odometry_of_an_omnidirectional_robot_has_its_speed_to_the_left():
    class Sideways(Navigator):
        def step(self, observation, rng):
            super().step(observation, rng)
            return 0.2, -0.1, 0.3

    plain, sideways = Navigator(), Sideways()
    result = sbot.run({**WORLD, 'bodies': {'cart': {'like': 'robot', 'drive': 'omnidirectional'}},
                       'sensors': {'odometry_noise_slip': 0.01}, 'robots': [
        {'pose': [3, 3, 1.0], 'controller': sideways, 'body': 'cart'},
        {'pose': [6, 6, 1.0], 'controller': plain}]}, sense=['odometry'])
    lateral = [known.lateral for known in sideways.known]
    assert lateral[0] == 0.0
    assert lateral[1:] == pytest.approx([-0.1] * 10, abs=0.05)
    assert len(set(lateral)) == 11  # with the noise of its wheels
    assert [known.lateral for known in plain.known] == [0.0] * 11
    assert [tuple(known) for known in sideways.known][1][:2] == pytest.approx(
        result.odometry[1, 0, :2].tolist(), abs=0)
