import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sbot_common.compiled.vectors import LANES
from sbot_sim.sensors.beams import (
    ANGLE_ERROR,
    beam_interval,
    lanes,
    make_fan,
    make_irregular_fan,
    quick_angle,
)


def test_quick_angle_keeps_its_bound():
    rng = np.random.default_rng(9)
    x, y = rng.normal(size=(2, 200_000)) * 10.0 ** rng.uniform(-9, 3, 200_000)
    found = np.array([quick_angle(a, b) for a, b in zip(x, y, strict=True)])
    assert np.abs(found - np.arctan2(y, x)).max() < ANGLE_ERROR / 2
    assert [quick_angle(a, b) for a, b in ((1, 0), (0, 1), (-1, 0), (0, -1))] == pytest.approx(
        [0, math.pi / 2, math.pi, -math.pi / 2], abs=ANGLE_ERROR / 2)


@given(st.integers(1, 400), st.floats(-10, 10), st.floats(-0.3, 0.3), st.floats(-math.pi, math.pi),
       st.floats(0, math.pi))
@settings(max_examples=500, deadline=None)
def test_an_arc_gets_every_beam_in_it(beams, angle_min, increment, start, width):
    fan = make_fan(beams, angle_min, increment)
    chosen = np.zeros(fan.directions.shape[1], bool)
    first, last = beam_interval(start, width, fan)
    assert last >= 0
    while first <= beams - 1:
        low, high = lanes(first, last, beams)
        assert low % LANES == 0
        assert high % LANES == 0
        chosen[int(low):int(high)] = True
        first, last = first + fan.period, last + fan.period
    into_arc = (angle_min + np.arange(beams) * increment - start) % math.tau
    inside = into_arc <= width
    assert chosen[:beams][inside].all()
    # Not many more than needed: what is more than a lane away from the arc is left out.
    if abs(increment) >= 1e-3:
        margin = LANES * abs(increment) + 2 * ANGLE_ERROR
        far = (into_arc > width + margin) & (into_arc < math.tau - margin)
        assert not chosen[:beams][far].any()


def test_fans_are_padded_to_whole_lanes():
    fan = make_fan(5, 0.5, -0.1)
    assert fan.directions.shape == (2, 8)
    assert fan.beams == 5
    assert fan.forward
    assert not make_fan(5, 0.5, 0.5).forward
    assert make_fan(180, float(np.float32(-math.pi / 2)),
                    float(np.float32(math.pi / 179))).forward


def test_irregular_fans_try_every_beam():
    fan = make_irregular_fan([0.1, 3.0, 2.0])
    assert beam_interval(1.0, 0.1, fan) == (0.0, 2.0)
    assert fan.directions[1, 1] == math.sin(3.0)
