"""The wake kernel equals wakes computed from all pairs, to the bit."""

import math

import numpy as np
import pytest

from sbot_common.compiled.threads import in_blocks
from sbot_common.params import updated
from sbot_sim.dynamics.wake_kernel import _cell_of_reach, _reduce_block, _Reductions, _widest_wake
from sbot_sim.sensors.range_and_bearing import neighbours
from sbot_sim.world.geometry import make_world
from sbot_sim.world.scene import Scene, sort_discs
from wind_model.parameters import WakeParameters
from wind_model.wake import clamped_radius, reductions

NO_WALLS = Scene.of_walls(None)


def fast_reductions(parameters, reach, walls, pose, wind_xy, advertised_mm, own_radius, blockers,
                    threads=1):
    """Reductions (N,) and blockers (N,), by several threads."""
    count = pose.shape[0]
    out, blockers = np.zeros(count), blockers.copy()
    if parameters.wake and count > 0:
        discs = sort_discs(pose, own_radius, _cell_of_reach(reach))
        widest = _widest_wake(parameters, advertised_mm, own_radius)
        in_blocks(threads, count, _reduce_block, parameters, reach, discs, walls, pose,
                  wind_xy, advertised_mm, own_radius, widest, _Reductions(out, blockers))
    return out, blockers


def both(given, n, side, reach, walls, seed):
    """Return the reductions by two ways for n robots in a square with boxes and circles."""
    rng = np.random.default_rng(seed)
    boxes = [(*rng.uniform(0, side, 2), *rng.uniform(0.1, 0.5, 2), rng.uniform(0, 3))
             for _ in range(5)]
    discs = [(*rng.uniform(0, side, 2), rng.uniform(0.1, 0.5)) for _ in range(5)]
    world = make_world((-9.0, -9.0, side + 9, side + 9), rectangles=boxes, circles=discs)
    pose = np.column_stack([rng.uniform(0, side, (n, 2)), rng.uniform(-np.pi, np.pi, n)])
    pose[n // 2:, 1] = np.round(pose[n // 2:, 1])  # robots in one line
    wind = rng.normal(0, 0.1, (n, 2)) if seed % 2 else np.tile([0.1, 0.0], (n, 1))
    wind[0] = 0.0
    advertised = rng.integers(0, 256, n).astype(np.uint8)
    own = clamped_radius(rng.uniform(0.0, 0.6, n))
    wake = updated(WakeParameters(wake=True), given)
    stops = Scene.of_walls(world if walls else None)
    heard = neighbours(pose, reach, stops)
    slow = reductions(wake, *heard, pose[:, 2].copy(), wind, advertised, own)
    fast, blockers = fast_reductions(wake, reach, stops, pose, wind, advertised, own,
                                     np.full(n, -1))
    # Wherever it looks first, it finds the same.
    for first in (blockers, rng.integers(-1, n, n)):
        again, _ = fast_reductions(wake, reach, stops, pose, wind, advertised, own, first)
        assert again.tobytes() == fast.tobytes()
    return slow, fast


@pytest.mark.parametrize('given', [
    {}, {'wake_fade': 'fade_out'}, {'wake_boost': 'power'}, {'gamma_boost': 0.5},
    {'gamma_boost': 200.0},  # takes all wind farther off than those who look first
    {'upwind_gate_radii': 0.0, 'shadow_length_radii': 0.0}, {'lateral_reach_radii': 0.0},
], ids=str)
@pytest.mark.parametrize('walls', [True, False])
def test_shelter_equals_what_is_heard(given, walls):
    different = 0
    for seed in range(12):
        slow, fast = both(given, 60, 6.0, (0.0, 0.5, 3.0, 50.0)[seed % 4], walls, seed)
        assert fast.tobytes() == slow.tobytes()
        different += len(np.unique(slow))
    assert different > 12  # some are sheltered


def test_nobody_and_no_wake():
    assert both({}, 1, 1.0, 1.0, True, 0)[1].tolist() == [0.0]
    assert not both({'wake': False}, 9, 1.0, 1.0, True, 0)[1].any()


@pytest.mark.parametrize('angle', [0.0, 1.01e-6, 1.2e-6, -3e-6, 1e-4, 2e-3, math.pi / 2 - 1e-6])
@pytest.mark.parametrize('y', [0.3, 20_000.3, 1e6 + 0.3])
@pytest.mark.parametrize('given', [{}, {'lateral_reach_radii': 0.01, 'gamma_boost': 0.5}], ids=str)
def test_level_winds_far_from_the_origin_hide_nobody(angle, y, given):
    """A blocker at the end of the reach, a cell's border behind it, and a weaker one nearby."""
    wake = updated(WakeParameters(wake=True), given)
    ux, uy = math.cos(angle), math.sin(angle)
    x, weaker = 3.0 * ux, 0.02 * 0.06 if given else 0.36
    far_away = np.column_stack([np.full(200, x + 3.0), np.linspace(y + 3.0, y + 4.0, 200),
                                np.zeros(200)])
    for border in (1e-12, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5):
        pose = np.vstack([[x, y, 0.3], [0.0, y - 3.0 * uy, 0.0], [x - 1.0, y + weaker, 0.0],
                          [border - 0.5, y - 1.0, 0.0], far_away])
        n = len(pose)
        wind, mm = np.tile([0.1 * ux, 0.1 * uy], (n, 1)), np.full(n, 60, np.uint8)
        own = np.full(n, 0.06)
        slow = reductions(wake, *neighbours(pose, 3.0, NO_WALLS), pose[:, 2].copy(), wind, mm, own)
        fast, _ = fast_reductions(wake, 3.0, NO_WALLS, pose, wind, mm, own, np.full(n, -1))
        assert fast.tobytes() == slow.tobytes()


def test_a_robot_without_a_direction_has_no_shelter():
    pose = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, math.nan]])
    wind, mm, own = np.full((2, 2), [0.1, 0.0]), np.full(2, 60, np.uint8), np.full(2, 0.06)
    wake = WakeParameters(wake=True)
    slow = reductions(wake, *neighbours(pose, 3.0, NO_WALLS), pose[:, 2].copy(), wind, mm, own)
    fast, _ = fast_reductions(wake, 3.0, NO_WALLS, pose, wind, mm, own, np.full(2, -1))
    assert fast.tolist() == slow.tolist() == [0.0, 0.0]


@pytest.mark.parametrize('offset', [1.6, 2.0, 2.5, 2.99, 3.001, 3.01, 3.05, 3.1])
def test_a_weak_blocker_on_the_axis_hides_no_stronger_one_off_it(offset):
    """The first search is a strip three widths wide; what it finds must beat all outside."""
    wake = WakeParameters(wake=True, gamma_boost=0.5)
    radius, n = 0.06, 3
    gate, length, width = (radius * value for value in (
        wake.upwind_gate_radii, wake.shadow_length_radii, wake.lateral_reach_radii))
    wind, mm, own = np.tile([0.1, 0.0], (n, 1)), np.full(n, 60, np.uint8), np.full(n, radius)
    weaker = 0
    for ramp in np.linspace(0.02, 0.2, 60):  # of the weak one's shadow
        pose = np.array([[0.0, 0.0, 0.3], [-gate - ramp * length, 0.0, 0.0],
                         [-gate - 1.5 * length, offset * width, 0.0]])
        slow = reductions(wake, *neighbours(pose, 3.0, NO_WALLS), pose[:, 2].copy(), wind, mm, own)
        fast, _ = fast_reductions(wake, 3.0, NO_WALLS, pose, wind, mm, own, np.full(n, -1))
        assert fast.tobytes() == slow.tobytes()
        weaker += slow[0] > 0.5 * (3.0 * ramp ** 2 - 2.0 * ramp ** 3) * (1 + 1e-9)
    assert weaker > 0  # else the one off the axis would never have mattered
