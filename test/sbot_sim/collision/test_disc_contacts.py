"""Contacts of a disc with fixed objects: how deep, which way out, and joints of walls."""

import math

import numpy as np
import pytest
from settling import R, settle

from sbot_sim.collision.overlap import overlaps
from sbot_sim.world.bodies import S_BOT
from sbot_sim.world.body_arrays import body_arrays
from sbot_sim.world.geometry import make_world


@pytest.mark.parametrize(('kind', 'rows', 'at', 'expected'), [
    ('segments', [(-1, 0, 1, 0)], (0.2, R - 0.01), (0, 0.01)),
    ('segments', [(-1, 0, 1, 0)], (0.2, 0.01 - R), (0, -0.01)),
    ('segments', [(-1, 0, 0, 0)], (0.6 * R - 0.006, 0.8 * R - 0.008), (0.006, 0.008)),
    ('circles', [(0, 0, 0.5)], (-0.49 - R, 0), (-0.01, 0)),  # its own radius counts: S2
    ('rectangles', [(0, 0, 1, 0.4, 0)], (0.3, 0.19 + R), (0, 0.01)),
    ('rectangles', [(0, 0, 1, 0.4, 0)], (0.5 + 0.6 * (R - 0.01), 0.2 + 0.8 * (R - 0.01)),
     (0.006, 0.008)),
    ('rectangles', [(0, 0, 1, 0.4, math.pi / 2)], (0.19 + R, 0.3), (0.01, 0)),
])
def test_fixed_objects_do_not_give_way(kind, rows, at, expected):
    world = make_world((-2, -2, 2, 2), **{kind: rows})
    x, y = np.add(at, np.multiply(expected, 2))
    outcome = settle([[*at, 0]], [[x, y, 0]], world)
    np.testing.assert_allclose(outcome.displacement, [expected], atol=1e-14)
    assert overlaps(world, body_arrays([S_BOT]), outcome.pose) == 0


def test_walls_of_several_pieces_push_once():
    pieces = make_world((-2, -2, 2, 2), [(-1, 0, 0.01, 0), (0.01, 0, 1, 0), (0.01, 0, 0.01, -1)],
                        rectangles=[(-0.5, 1, 1, 1, 0), (0.5, 1, 1, 1, 0)])
    for y, direction in ((R - 0.02, 0.02), (0.5 - R + 0.02, -0.02)):
        for x in (-0.03, 0.0, 0.01, 0.02):
            outcome = settle([[x, y, 0]], [[x, y + direction, 0]], pieces)
            np.testing.assert_allclose(outcome.displacement, [[0, direction]], atol=1e-12)
