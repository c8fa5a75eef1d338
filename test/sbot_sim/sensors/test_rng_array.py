import numpy as np
import pytest

from sbot_common.compiled.jit import njit
from sbot_common.rng import INFRARED, SCAN, generator
from sbot_sim.sensors.rng_array import (
    generator_states,
    look_ahead,
    make_jump,
    next_normals,
    skip_uniforms,
    uniforms,
)


def test_draws_equal_numpys_to_the_bit():
    ids = [0, 3, 99]
    states = generator_states(12345, ids, INFRARED)
    first, second = uniforms(states, 4000), uniforms(states, 7)
    for row, robot_id in enumerate(ids):
        numpys = generator(12345, robot_id, INFRARED)
        np.testing.assert_array_equal(first[row], numpys.random(4000))
        np.testing.assert_array_equal(second[row], numpys.random(7))


def test_arrays_and_objects_give_the_same():
    states = generator_states(5, range(4), SCAN)
    objects = [generator(5, i, SCAN) for i in range(4)]
    np.testing.assert_array_equal(uniforms(states, 3), uniforms(objects, 3))


def test_a_generator_travels_with_its_robot():
    order = [2, 0, 1]
    np.testing.assert_array_equal(uniforms(generator_states(5, order, SCAN), 6),
                                  uniforms(generator_states(5, range(3), SCAN), 6)[order])


@njit
def normals(states, pairs):
    out = np.empty((len(states), 2 * pairs))
    for j in range(len(states)):
        for i in range(pairs):
            out[j, 2 * i], out[j, 2 * i + 1] = next_normals(states, j)
    return out


def test_normals_are_standard_normal():
    numbers = normals(generator_states(1, range(40), SCAN), 5_000)
    assert numbers.mean() == pytest.approx(0, abs=0.01)
    assert numbers.std() == pytest.approx(1, abs=0.01)
    assert (numbers**4).mean() == pytest.approx(3, abs=0.1)


def test_no_robots_draw_nothing():
    assert uniforms(generator_states(1, [], SCAN), 15).shape == (0, 15)
    assert uniforms([], 15).shape == (0, 15)


def test_skipping_is_drawing_without_looking():
    drawn, skipped = (generator_states(7, range(50), SCAN) for _ in range(2))
    for count in (0, 1, 2, 15, 1000):
        uniforms(drawn, count)
        for j in range(50):
            skip_uniforms(skipped, j, make_jump(count))
        np.testing.assert_array_equal(drawn, skipped)


@njit
def seen_ahead(states, count):
    out = np.empty((len(states), count))
    for j in range(len(states)):
        look_ahead(states, j, count, out[j])
    return out


@pytest.mark.parametrize('count', [0, 1, 15])
def test_looking_ahead_changes_no_state(count):
    states = generator_states(7, range(3), INFRARED)
    before = states.copy()
    ahead = seen_ahead(states, count)
    np.testing.assert_array_equal(states, before)
    np.testing.assert_array_equal(ahead, uniforms(states, count))
