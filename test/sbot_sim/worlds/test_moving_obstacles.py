"""What sensors see of obstacles that move, tick by tick."""

import numpy as np

import sbot

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
