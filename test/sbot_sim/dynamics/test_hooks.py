"""What hooks return is checked; test/sbot/runner/test_hooks.py has whole runs."""

import numpy as np
import pytest

from sbot_common.errors import InputError
from sbot_common.user_code import UserCodeError
from sbot_sim.dynamics.hooks import Hooks, free_wind
from wind_model.grid import WindGrid
from wind_model.parameters import Height

OUTSIDE = np.array([0.3, -0.2, 0.1])
POSES = np.array([[0.5, 0.5, 0.0], [0.25, 1.0, 3.0], [9.0, 9.0, 0.0]])


def field_of(terrain):
    """1 m by 1 m, 2 m high over ground at ``terrain`` m: u is the height over ground, v is 2."""
    ground, shape = np.full((2, 2), terrain), (2, 2, 2)
    u = np.zeros(shape)
    u[1] = 2.0
    wind = u, np.full(shape, 2.0), np.full(shape, 0.5)
    return WindGrid.make(0.0, 0.0, 2, 2, 1.0, 1.0, [0.0, 1.0], ground, ground + 2.0,
                                  wind).lattice()


def test_without_a_grid_everybody_has_the_wind_outside():
    found = free_wind(None, OUTSIDE, POSES, 1.0)
    assert found.tolist() == [[0.3, -0.2]] * 3
    assert found.flags.c_contiguous


@pytest.mark.parametrize(('height', 'u'), [(1.5, 0.5), (Height(1.5), 0.5),
                                           (Height(1.5, above_terrain=True), 1.5)])
def test_a_height_is_over_the_origin_or_over_the_ground(height, u):
    found = free_wind(field_of(1.0), OUTSIDE, POSES, height)
    assert found[:2] == pytest.approx(np.array([[u, 2.0]] * 2))
    assert found[2].tolist() == OUTSIDE[:2].tolist()  # beyond the grid


def call(function, shape=(2, 2)):
    return Hooks(effective_wind=function).call('effective_wind', 7, shape, 3.0)


def test_arguments_go_in_and_an_array_comes_out():
    found = call(lambda given: [[given, 0], [1, 2]])
    assert found.dtype == np.float64
    assert found.flags.c_contiguous
    assert found.tolist() == [[3.0, 0.0], [1.0, 2.0]]


def test_the_answer_is_a_copy():
    kept = np.zeros((2, 2))
    call(lambda _: kept)[0, 0] = 5.0
    assert kept[0, 0] == 0.0


@pytest.mark.parametrize(('answer', 'found'), [
    ([1.0, 2.0], r'shape \(2,\)'), (None, r'shape \(\)'), ('ab', r'shape \(\)'),
    ([[1.0, np.nan], [0.0, 0.0]], 'not finite'), ([[1.0], [2.0, 3.0]], r'shape \(\)')])
def test_another_answer_names_hook_tick_and_shape(answer, found):
    with pytest.raises(InputError, match=r'^wind\.effective_wind_function at tick 7: .*returned '
                       + '.*' + found + r'.*expected finite numbers of shape \(2, 2\)$'):
        call(lambda _: answer)


def test_an_exception_is_the_users():
    def fails(_):
        raise ValueError('no wind today')
    with pytest.raises(UserCodeError, match=r'effective_wind_function at tick 7.*no wind today'):
        call(fails)
