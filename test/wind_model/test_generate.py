from pathlib import Path

import numpy as np
import pytest

from sbot_common.errors import InputError
from wind_model.generate import FLOWS, generate
from wind_model.grid import velocity_at
from wind_model.rotors_text import read_grid

SHIPPED = Path(__file__).parents[2] / 'config' / 'wind'
NAN = np.full(3, np.nan)


def at(field, *points):
    return velocity_at(field, np.array(points, float), NAN)


@pytest.mark.parametrize('kind', FLOWS)
def test_the_shipped_fields_are_what_the_generator_makes_and_fit_the_arena(kind):
    grid = read_grid(SHIPPED / f'{kind}.txt')
    field = grid.lattice()
    assert (field.x[0], field.x[-1], field.y[0], field.y[-1]) == (0, 40, 0, 24)
    assert np.isfinite(at(field, [5, 12, 0.5], [0, 0, 0.5], [40, 24, 0.5])).all()
    radius = 6 if kind == 'vortex' else 3
    again = generate(kind, resolution=8 if kind == 'uniform' else 1.0, radius=radius, height=4,
                     layers=5 if kind == 'hill' else 2)
    for a, b in zip(grid, again, strict=True):
        assert np.allclose(a, b, rtol=0, atol=1e-6)


def test_uniform_blows_towards_its_angle():
    field = generate('uniform', angle_deg=90.0, speed=2.0).lattice()
    assert np.allclose(at(field, [3, 7, 1], [39, 20, 3.9]), [0, 2, 0], atol=1e-6)


def test_a_vortex_turns_counter_clockwise_and_is_fastest_at_its_radius():
    field = generate('vortex', radius=4.0, speed=1.5, resolution=0.5).lattice()
    east, north = at(field, [24, 12, 1], [20, 16, 1])
    assert east == pytest.approx([0, 1.5, 0], abs=1e-5)
    assert north == pytest.approx([-1.5, 0, 0], abs=1e-5)
    speeds = np.linalg.norm(at(field, *([20 + d, 12, 1] for d in np.arange(0, 10, 0.5))), axis=1)
    assert speeds.argmax() == 8
    assert speeds[0] == 0


def test_nothing_flows_through_a_cylinder_and_nothing_is_lost():
    grid = generate('cylinder', radius=3.0, speed=1.0, resolution=0.25, layers=2)
    field = grid.lattice()
    stagnation, side, far = at(field, [17, 12, 1], [20, 15, 1], [0, 12, 1])
    assert stagnation == pytest.approx([0, 0, 0], abs=1e-6)
    assert side == pytest.approx([2, 0, 0], abs=1e-6)
    assert far == pytest.approx([1 - 9 / 400, 0, 0], abs=1e-6)
    u, v = grid.u[0], grid.v[0]
    divergence = ((u[1:-1, 2:] - u[1:-1, :-2]) / (2 * grid.res_x)
                  + (v[2:, 1:-1] - v[:-2, 1:-1]) / (2 * grid.res_y))
    x, y = np.meshgrid(field.x[1:-1], field.y[1:-1])
    assert np.abs(divergence[np.hypot(x - 20, y - 12) > 3.6]).max() < 0.02


def test_the_ground_of_a_hill_is_a_streamline():
    grid = generate('hill', radius=3.0, speed=1.0, resolution=0.5, angle_deg=180.0, layers=4)
    assert grid.bottom_z.max() == 3
    assert at(grid.lattice(), [20, 12, 3.0])[0] == pytest.approx([-2, 0, 0], abs=1e-6)
    s = -(grid.min_x + np.arange(grid.n_x) * grid.res_x - 20)
    on_hill = np.abs(s) < 2.9
    # Along the arc the flow is along the tangent (z, -s) of the circle.
    assert np.abs((-grid.u[0, 0] * s + grid.w[0, 0] * grid.bottom_z[0])[on_hill]).max() < 1e-5


@pytest.mark.parametrize(('kind', 'given', 'words'), [
    ('tornado', {}, 'one of uniform, vortex, cylinder, hill'),
    ('hill', {'radius': 0.0}, 'radius'), ('uniform', {'xmax': -1.0}, 'xmax'),
    ('uniform', {'resolution': 1e-9}, 'resolution'), ('uniform', {'layers': 1}, 'layers'),
    ('uniform', {'size': 1.0}, "unknown name 'size'"), ('vortex', {'speed': -1.0}, 'speed')])
def test_bad_values_are_refused(kind, given, words):
    with pytest.raises(InputError, match=words):
        generate(kind, **given)
