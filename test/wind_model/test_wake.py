import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sbot_common.params import updated
from sbot_sim.sensors.range_and_bearing import neighbours
from sbot_sim.world.scene import Scene
from wind_model.parameters import WakeParameters
from wind_model.wake import (
    _reduction,
    _smoothstep,
    advertised_millimetres,
    blocker_radius,
    clamped_radius,
    wakes,
)

NO_WALLS = Scene.of_walls(None)

R = 0.05
COMBINATIONS = [(fade, boost) for fade in ('ramp_in', 'fade_out') for boost in ('linear', 'power')]


def wake_parameters(fade='ramp_in', boost='linear', **given):
    return updated(WakeParameters(wake=True), {'wake_fade': fade, 'wake_boost': boost, **given})


def printed(fade, boost, distances, radius=R, reach=3.0, length=4.0, gate=0.5, gamma=2.0):
    """The document's formulas once more, for any number of (along, lateral)."""
    r = 0.0
    scores = []
    for along, lateral in distances:
        g = max(1e-6, gate * radius)
        if along <= g:
            continue
        t = min(1.0, max(0.0, (along - g) / (length * radius)))
        ramp = 3 * t ** 2 - 2 * t ** 3
        ramp = 1 - ramp if fade == 'fade_out' else ramp
        scores.append(math.exp(-0.5 * (lateral / (reach * radius)) ** 2) * ramp)
    if scores:
        best = max(scores)
        r = 1 - (1 - best) ** gamma if boost == 'power' else gamma * best
        r = min(1.0, max(0.0, r))
    return r if r > 1e-6 else 0.0


def follower(parameters, blockers, wind=(0.1, 0.0), radius=R, yaw=0.3, full=False):
    """Reduction of a follower at the origin, blockers (x, y) heard from wherever they are."""
    pose = np.array([[0.0, 0.0, yaw], *([x, y, 1.0] for x, y in blockers)])
    heard = neighbours(pose, 10.0, NO_WALLS)
    radii = np.full(len(pose), radius)
    result = wakes(parameters, *heard, pose[:, 2].copy(), np.tile(np.array(wind), (len(pose), 1)),
                   advertised_millimetres(radii), clamped_radius(radii))
    return (result[0][0], result[1][:len(blockers)]) if full else result[0][0]


@pytest.mark.parametrize(('fade', 'boost'), COMBINATIONS)
def test_a_single_blocker_in_closed_form(fade, boost):
    for along in (0.03, 0.05, 0.125, 0.2, 0.224, 0.226, 1.0):
        for lateral in (0.0, 0.07, -0.3):
            got = follower(wake_parameters(fade, boost), [(-along, lateral)])
            assert got == pytest.approx(
                printed(fade, boost, [(along, lateral)]), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize(('fade', 'boost'), COMBINATIONS)
def test_the_strongest_wake_counts(fade, boost):
    parameters = wake_parameters(fade, boost, gamma_boost=1.2)
    places = [(-0.12, 0.02), (-0.18, -0.11), (0.1, 0.0), (-0.06, 0.2)]
    alone = [follower(parameters, [place]) for place in places]
    assert follower(parameters, places) == max(alone)
    expected = printed(fade, boost, [(-x, y) for x, y in places], gamma=1.2)
    assert follower(parameters, places) == pytest.approx(expected, rel=1e-12)


def test_the_gate_is_closed_up_to_its_edge():
    parameters = wake_parameters('fade_out')
    gate = 0.5 * R
    assert _reduction(parameters, gate, 0.0, R) == 0.0
    assert _reduction(parameters, np.nextafter(gate, 1), 0.0, R) > 0.99
    assert _reduction(parameters, -1.0, 0.0, R) == 0.0
    assert _reduction(parameters, math.nan, 0.0, R) == 0.0
    assert _reduction(wake_parameters('fade_out', upwind_gate_radii=0.0), 1e-6, 0.0, R) == 0.0


@settings(max_examples=60)
@given(angle=st.floats(-7, 7), yaw=st.floats(-7, 7), x=st.floats(-0.5, 0.5),
       y=st.floats(-0.5, 0.5), combination=st.sampled_from(COMBINATIONS))
def test_turning_everything_changes_nothing(angle, yaw, x, y, combination):
    parameters = wake_parameters(*combination)
    c, s = math.cos(angle), math.sin(angle)
    turned = follower(parameters, [(c * x - s * y, s * x + c * y)], (0.1 * c, 0.1 * s), yaw=yaw)
    assert turned == pytest.approx(follower(parameters, [(x, y)]), abs=1e-9)


@settings(max_examples=60)
@given(x=st.floats(-0.5, 0.5), y=st.floats(-0.5, 0.5), combination=st.sampled_from(COMBINATIONS))
def test_both_sides_shelter_alike_and_reductions_are_fractions(x, y, combination):
    parameters = wake_parameters(*combination)
    r = follower(parameters, [(x, y)])
    assert 0.0 <= r <= 1.0
    assert r == pytest.approx(follower(parameters, [(x, -y)], yaw=-0.3), abs=1e-9)


def test_smoothstep():
    assert [_smoothstep(2.0, x) for x in (-1.0, 0.0, 1.0, 2.0, 3.0)] == [0, 0, 0.5, 1, 1]
    assert _smoothstep(2.0, 0.5) == 3 / 16 - 2 / 64
    assert _smoothstep(0.0, 1e-9) == 1.0


def test_advertised_radii():
    radii = np.array([0.0001, 0.0354, 0.0355, 0.1995, 0.25, 0.3, 2.0])
    assert advertised_millimetres(radii).tolist() == [10, 35, 36, 200, 250, 255, 255]
    assert clamped_radius(radii)[[0, -1]].tolist() == [0.01, 0.5]
    assert [blocker_radius(mm, 0.3) for mm in (0, 5, 6, 199, 200, 255)] == [
        0.3, 0.3, 0.006, 0.199, 0.3, 0.3]


def test_large_robots_are_taken_for_as_large_as_the_receiver():
    along = -(0.5 + 2.0) * 0.3
    r = follower(wake_parameters(gamma_boost=1.0), [(along, 0)], radius=0.3)
    assert r == pytest.approx(0.5)


def test_a_reduction_of_a_millionth_is_none():
    assert follower(wake_parameters(gamma_boost=1e-6), [(-1.0, 0)]) == 0.0
    assert follower(wake_parameters(gamma_boost=1.1e-6), [(-1.0, 0)]) == 1.1e-6


def test_switched_off_or_without_wind_nobody_shelters():
    assert follower(WakeParameters(), [(-1.0, 0)]) == 0.0
    assert follower(wake_parameters(), [(-1.0, 0)], wind=(9e-12, 0.0)) == 0.0


def test_the_terms_explain_the_reduction():
    r, terms = follower(wake_parameters(gamma_boost=1.0), [(-0.1, 0.04), (0.2, 0.0)], full=True)
    assert terms[0, :2] == pytest.approx([0.1, 0.04])
    assert terms[1, :2] == pytest.approx([-0.2, 0.0])
    assert terms[1, 2] == 0.0
    assert r == terms[0, 2]
