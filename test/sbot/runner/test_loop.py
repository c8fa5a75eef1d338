import json
from pathlib import Path

import numpy as np
import pytest

import sbot
from sbot.runner.controllers import ControllerSet
from sbot.runner.loop import run_scenario, wake_report
from sbot.scenario import assemble
from sbot.scenario.load import load_scenario, parse_scenario
from sbot_common.clock import Rate
from sbot_common.errors import InputError
from sbot_common.topics import RAB_DATA
from sbot_sim.collision.overlap import overlaps
from sbot_sim.engine.simulation import Engine

FIRST = Rate(10, 1).stamp_ns(0)


class Steady:
    """Commands its own id; says it at the first tick."""

    def step(self, observation, rng):
        return (0.1 * observation.robot_id, 0.5, *(b'hi',) * (observation.tick == 0))


def make(robots, announcing=True, **more):
    scenario = sbot.load({'duration': 1, 'rate': 10, 'world': {'bounds': [0, 0, 20, 20]},
                          'sensors': {'range_and_bearing': True, 'scan_beams': 9},
                          'robots': robots, **more})
    parameters = assemble.simulation_parameters(scenario)
    engine = Engine(parameters, assemble.initial_poses(scenario), scenario.seed)
    return ControllerSet(scenario, parameters.sensors.lasers, announcing=announcing), engine


def robots(*controllers):
    return [{'pose': [2.0 + 2 * i, 3.0, 0.0], 'controller': controller, 'goal': [15.0, 15.0]}
            if controller != 'none' else {'pose': [2.0 + 2 * i, 3.0, 0.0], 'controller': 'none'}
            for i, controller in enumerate(controllers)]


def test_robots_without_a_controller_stand_still_controller_set():
    controllers, engine = make(robots(Steady, 'none', Steady))
    found = controllers.decide(engine.snapshot, FIRST)
    np.testing.assert_allclose(found.commands, [[0, 0, 0.5], [0, 0, 0], [0.2, 0, 0.5]])


@pytest.mark.parametrize('announcing', [True, False])
def test_what_robots_say_is_a_message_only_if_somebody_wants_it(announcing):
    controllers, engine = make(robots(Steady, 'none', Steady), announcing)
    found = controllers.decide(engine.snapshot, FIRST)
    assert [b'hi' in row.tobytes() for row in found.rab_data] == [True, False, True]
    said = [message.name for message in found.announced if message.topic == RAB_DATA]
    assert said == (['/robot_0/rab_data', '/robot_2/rab_data'] if announcing else [])


def test_followers_of_equal_parameters_take_their_turns_together():
    given = robots(*['potential_field'] * 5)
    together, engine = make(given)
    assert [ids.tolist() for ids, _ in together._batches] == [[1, 2, 3, 4]]
    commands = together.decide(engine.snapshot, FIRST).commands
    given[3]['parameters'] = given[4]['parameters'] = {'goal_radius_sigma_m': 0.77}
    apart, other = make(given)
    assert [ids.tolist() for ids, _ in apart._batches] == [[1, 2], [3, 4]]
    np.testing.assert_array_equal(apart.decide(other.snapshot, FIRST).commands[:3], commands[:3])


def test_turns_without_a_command_are_counted_for_each_robot():
    class Confused(Steady):
        invalid_turns = 3

    controllers, _ = make(robots(Confused, 'none', Steady))
    assert controllers.invalid_turns().tolist() == [3, 0, 0]


CROWD = """
duration: 3
world: {bounds: [0, 0, 20, 20], circles: [{center: [10, 10], radius: 1}]}
robots:
  - {pose: [3, 3, 0], goal: [16, 16]}
  - {count: 12, area: [1, 1, 9, 19]}
wind: {wind_speed_mean: 0.3, wake: true}
"""


def scenario_of(text, **overrides):
    return parse_scenario(text, 'test', Path.cwd(), overrides=overrides)


@pytest.mark.parametrize('name', ['leader_follower', 'leader_follower_document'])
def test_the_leader_arrives_and_everybody_follows_without_overlap(name):
    result = run_scenario(load_scenario(name))
    robots = result.summary['robots']
    assert robots[0]['goal_reached_s'] < 60
    assert result.summary['overlaps'] == 0
    assert all(robot['final_leader_distance_m'] < 4.0 + 2.0 for robot in robots)
    assert sum(robot['reverts'] for robot in robots) < 10


def test_a_run_is_a_function_of_scenario_and_seed():
    first = run_scenario(scenario_of(CROWD)).summary
    again = run_scenario(scenario_of(CROWD)).summary
    other = run_scenario(scenario_of(CROWD, seed=2)).summary
    assert first['trajectory_sha256'] == again['trajectory_sha256']
    assert first['trajectory_sha256'] != other['trajectory_sha256']


def test_threads_and_recording_change_no_bit(tmp_path):
    plain = run_scenario(scenario_of(CROWD)).summary['trajectory_sha256']
    assert run_scenario(scenario_of(CROWD), threads=2).summary['trajectory_sha256'] == plain
    recorded = run_scenario(scenario_of(CROWD), record=tmp_path / 'bag')
    assert recorded.summary['trajectory_sha256'] == plain


def test_the_summary_can_be_checked_against_the_poses():
    import hashlib

    from sbot.scenario.assemble import simulation_parameters
    scenario = scenario_of(CROWD)
    result = run_scenario(scenario)
    summary, poses = result.summary, result.poses
    assert summary['ticks'] == 90
    assert poses.shape == (91, 13, 3)
    assert summary['trajectory_sha256'] == hashlib.sha256(
        np.ascontiguousarray(poses, '<f8').tobytes()).hexdigest()
    parameters = simulation_parameters(scenario)
    assert summary['overlaps'] == sum(
        overlaps(parameters.world, parameters.bodies, row) for row in poses) == 0
    steps = np.diff(poses[:, :, :2], axis=0)
    lengths = np.hypot(steps[..., 0], steps[..., 1]).sum(axis=0)
    assert [r['path_length_m'] for r in summary['robots']] == pytest.approx(lengths.tolist())
    assert json.loads(json.dumps(summary)) == summary


def test_overlaps_are_counted_not_assumed(monkeypatch):
    monkeypatch.setattr('sbot_sim.worlds.motion.resolve_overlaps', lambda first, end: None)
    text = """
duration: 2
world: {bounds: [0, 0, 10, 10]}
robots:
  - {pose: [3, 3, 0], controller: none}
  - {pose: [3.7, 3, 3.14159], controller: none}
wind: {wind_speed_mean: 6.0}
"""
    assert run_scenario(scenario_of(text)).summary['overlaps'] > 0


@pytest.mark.parametrize(('answer', 'shown'), [
    ('None', 'None'), ('(float("nan"), 0.0)', 'nan'), ('(0.1, 0.2, 0.0)', '0.2, 0.0'),
    ('("fast", 0.0)', 'fast')])
def test_a_controller_that_answers_nonsense_is_named(tmp_path, answer, shown):
    name = f'nonsense_{abs(hash(answer))}'
    (tmp_path / f'{name}.py').write_text(
        f'class Bot:\n    def step(self, observation, rng):\n        return {answer}\n')
    (tmp_path / 'own.yaml').write_text(f"""
duration: 1
world: {{bounds: [0, 0, 10, 10]}}
robots: [{{pose: [3, 3, 0.5], controller: '{name}:Bot'}}]
""")
    words = r'^robot 0 at tick 0: Bot\.step\(\):? (got|returned) '
    with pytest.raises(InputError, match=words) as caught:
        run_scenario(load_scenario(str(tmp_path / 'own.yaml')))
    assert shown in str(caught.value)


def test_a_controller_cannot_change_the_world_through_what_it_sees(tmp_path):
    (tmp_path / 'vandal.py').write_text("""
class Bot:
    def step(self, observation, rng):
        for array in (observation.poses, observation.scan.ranges, observation.infrared):
            try:
                array[0] = 0.0
            except ValueError:
                continue
            raise RuntimeError('written')
        return 0.1, 0.0
""")
    (tmp_path / 'own.yaml').write_text("""
duration: 0.1
world: {bounds: [0, 0, 10, 10]}
sensors: {infrared: true}
robots: [{pose: [3, 3, 0.5], controller: 'vandal:Bot'}]
""")
    run_scenario(load_scenario(str(tmp_path / 'own.yaml')))


SHELTER = """
rate: 10
sensors: {scan_beams: 1, range_and_bearing: true, rab_range: 0.8}
world: {bounds: [-5, -5, 5, 5]}
duration: 2.0
wind: {wind_speed_mean: 0.15, wake: true}
robots:
  # The blocker drives against the wind at its speed, and so stays.
  - {body: e-puck2, pose: [0, 0, 3.141592653589793], parameters: {velocity: 0.15},
     controller: 'wind_model.wind_aware:AirResistance'}
  - {body: e-puck2, pose: [0.085, 0.01, 1.0], controller: none}
"""


def test_the_report_gives_the_terms_that_the_run_used():
    scenario = parse_scenario(SHELTER, 'test', Path(), overrides={'wind.gamma_boost': 1.0})
    result = run_scenario(scenario)
    report = wake_report(scenario, 0.5)
    robot = report['robots'][1]
    assert report['time_s'] == 0.5
    tick = 4
    term = robot['neighbours'][0]
    assert term['id'] == 0
    assert term['along'] == pytest.approx(result.poses[tick, 1, 0] - result.poses[tick, 0, 0])
    assert term['lateral'] == pytest.approx(0.01)
    assert 0 < term['r_i'] == robot['r'] < 1
    assert result.wind[tick, 1, 0] == pytest.approx((1 - robot['r']) * 0.15, rel=1e-12)
    assert report['robots'][0]['r'] == 0
    with pytest.raises(InputError, match='from 0 to the duration'):
        wake_report(scenario, 2.1)
