"""What sensors draw once, at the start of an episode, does not depend on the episode before."""

import numpy as np
import pytest
from batches import make_batch

import sbot
from sbot_sim.dynamics.hooks import Hooks
from sbot_sim.world.scene import Scene

SCENE = {'world': {'bounds': [0, 0, 9, 9]}, 'duration': 2,
         'robots': [{'pose': [2, 2, 0], 'controller': 'none'}],
         'sensors': {'imu': True, 'imu_bias_turn_rate': 0.1}}


def test_a_bias_is_that_of_the_seed_however_long_the_episode_before_was():
    worlds = sbot.Worlds(sbot.load(SCENE), 2, seeds=[3, 4], sense=['imu'])
    first = np.array(worlds.observe().imu)
    for _ in range(5):
        worlds.step(np.full((2, 1, 2), 0.3))
    worlds.reset([3, 4])
    np.testing.assert_array_equal(worlds.observe().imu, first)
    for _ in range(3):
        worlds.step(np.full((2, 1, 2), 0.3))
    worlds.reset([3, 4], worlds=[1])
    np.testing.assert_array_equal(worlds.observe().imu[1], first[1])


NONE = {'controller': 'none'}


def run(moving, robots, duration=10.0, **others):
    return sbot.run({'rate': 20, 'duration': duration, 'robots': robots,
                     'world': {'bounds': [0, 0, 10, 6], 'moving': moving},
                     **{key: value for key, value in others.items() if key != 'sense'}},
                    sense=others.get('sense', ()))


def obstacle(path, radius=0.4, speed=0.5):
    return {'radius': radius, 'path': path, 'speed': speed}


def test_lasers_see_it_where_it_is():
    done = run([obstacle([[4, 3], [8, 3]])], [{'pose': [1, 3, 0], **NONE}], sense=['scan'],
               sensors={'scan_beams': 3})
    ahead = done.scan[:, 0, 1]
    np.testing.assert_allclose(ahead[:161], 2.6 + 0.025 * np.arange(161), atol=1e-6)
    np.testing.assert_allclose(ahead[161:], 6.6 - 0.025 * np.arange(1, 41), atol=1e-6)


def of(rows, k):
    return rows.values[rows.starts[k]:rows.ends[k]].tolist()


@pytest.mark.parametrize('boxes', [[], [{'center': [6, 6], 'size': [0.5, 0.5]}]])
def test_sensors_have_the_tables_that_would_be_made_of_the_world_as_it_stands(boxes):
    """Also where only circles have moved and the rest of the tables stays."""
    worlds = sbot.Worlds(sbot.load({
        'rate': 10, 'duration': 1.0, 'seed': 3,
        'world': {'bounds': [0, 0, 8, 8], 'moving': [obstacle([[3, 1], [3, 5]], 0.2)],
                  'circles': [{'center': [1, 6], 'radius': 0.2}],
                  'rectangles': [{'center': [5, 2], 'size': [1, 1]}],
                  **({'boxes': boxes} if boxes else {})},
        'robots': [{'pose': [1, 1, 0], **NONE}],
        'sensors': {'range_and_bearing': True}}), 2, sense=['scan'])
    moving, setting, centres = worlds.phases.moving, worlds.setting, set()
    for _ in range(3):
        worlds.step(np.zeros((2, 1, 2)))
        sensors, world = moving.parameters[1].sensors, moving.parameters[1].world
        centres.add(tuple(world.circles[-1]))
        for packed, made, expected in (
                (setting.scan_scenes, sensors.scene, Scene.of(world, sensors.scene.reach)),
                (setting.line_of_sight, sensors.line_of_sight, Scene.of_walls(world))):
            assert made.circles.tolist() == of(packed.circles, 1) == expected.circles.tolist()
            assert made.segments.tolist() == of(packed.segments, 1) == expected.segments.tolist()
            for grids, ours, right in (
                    (packed.circle_grids, made.circle_grid, expected.circle_grid),
                    (packed.segment_grids, made.segment_grid, expected.segment_grid)):
                assert ours[:5] == right[:5]
                assert grids.numbers[1].tolist() == list(right[:3])
                assert ours.starts.tolist() == of(grids.starts, 1) == right.starts.tolist()
                assert ours.items.tolist() == of(grids.items, 1) == right.items.tolist()
    assert len(centres) == 3  # it moves


def test_the_effective_wind_is_asked_world_by_world():
    calls = []

    def halved(wind, reduction):
        calls.append((wind.copy(), reduction.copy()))
        return 0.5 * wind

    batch = make_batch(count=3, hooks=Hooks(effective_wind=halved))
    state = batch.state
    state.free_wind[:] = np.arange(12.0).reshape(6, 2)
    state.reduction[:] = np.arange(6) / 10
    state.updraft[:] = 1.0
    batch.tick._by_world.set_effective_wind(1, 3)
    assert [rows.tolist() for rows, _ in calls] == [[[4, 5], [6, 7]], [[8, 9], [10, 11]]]
    assert [reduction.tolist() for _, reduction in calls] == [[0.2, 0.3], [0.4, 0.5]]
    np.testing.assert_array_equal(state.wind[2:], state.free_wind[2:] / 2)
    assert not state.wind[:2].any(), 'world 0 was not asked for'
    np.testing.assert_allclose(state.updraft, [1, 1, 0.8, 0.7, 0.6, 0.5])


def test_a_blocking_rule_hears_who_is_in_the_world():
    def by_distance(wake, starts, indexes, ranges, bearings, yaw, wind, told, own):
        assert starts.tolist() == [0, 1, 2]
        assert indexes.tolist() == [1, 0]
        np.testing.assert_allclose(ranges, [1.0, 1.0])
        assert len(yaw) == len(wind) == len(told) == len(own) == 2
        return np.array([0.25, 0.75])

    batch = make_batch(wake={'wake': True}, rab=True, hears=False,
                       hooks=Hooks(blocking=by_distance))
    batch.tick._by_world.hear(0, 2)
    batch.tick._by_world.reduce(0, 2)
    assert batch.state.reduction.tolist() == [0.25, 0.75] * 2


def heard_by(batch, k):
    starts, robots, ranges, _ = batch.tick.heard(k)
    return starts.tolist(), robots.tolist(), ranges.round(9).tolist()


def test_each_world_hears_its_own_robots():
    batch = make_batch(count=3, robots=3, rab=True, hears=False)
    nobody = ([0, 0, 0, 0], [], [])
    assert heard_by(batch, 0) == nobody, 'before anybody has listened'
    batch.state.pose[3:6, 0] = [1.0, 2.5, 18.0]  # of world 1: the last out of reach (8 m)
    batch.tick._by_world.hear(0, 2)
    assert heard_by(batch, 0) == ([0, 2, 4, 6], [1, 2, 0, 2, 0, 1], [1.0, 2.0, 1.0, 1.0, 2.0, 1.0])
    assert heard_by(batch, 1) == ([0, 1, 2, 2], [1, 0], [1.5, 1.5])
    assert heard_by(batch, 2) == nobody, 'world 2 was not asked for'
