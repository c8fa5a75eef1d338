"""What sensors see of obstacles that move, tick by tick."""

import numpy as np
import pytest

import sbot
from sbot_sim.world.line_of_sight import make_line_of_sight
from sbot_sim.world.scene import make_scene

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


def test_infrared_sees_it():
    done = run([obstacle([[3, 2], [3, 4]], 0.2)], [{'pose': [3.4, 3, 0.0], 'body': 's-bot',
                                                   **NONE}],
               4.0, sense=['infrared'], sensors={'infrared': True, 'infrared_noise': 0.0})
    seen = done.infrared[:, 0].max(axis=1) > 0.0
    assert not seen[0]
    assert seen[40]  # at (3, 3): its rim is 0.14 m away
    assert not seen[-1]


def test_it_blocks_broadcasts():
    heard = []

    class Listens:
        def step(self, observation, rng):
            heard.append(len(observation.neighbours.range))
            return 0.0, 0.0

    robots = [{'pose': [2, 3, 0], 'controller': Listens}, {'pose': [4, 3, 0], **NONE}]
    run([obstacle([[3, 1], [3, 5]], 0.2)], robots, 8.0, sensors={'range_and_bearing': True})
    assert heard[0] == 1
    assert heard[80] == 0  # at (3, 3)
    assert heard[-1] == 1


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
                (setting.scan_scenes, sensors.scene, make_scene(world, sensors.scene.reach)),
                (setting.line_of_sight, sensors.line_of_sight, make_line_of_sight(world))):
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
