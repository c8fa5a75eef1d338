"""Uniform and normal numbers: against NumPy, their distributions, and independence."""

import copy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sbot_common import random
from sbot_common.compiled.jit import njit
from sbot_common.random import (
    CONTROLLER,
    INFRARED,
    ODOMETRY,
    PLACEMENT,
    SCAN,
    TickGenerator,
    generator,
    placement_generator,
)
from sbot_common.random.numbers import (
    _philox,
    next_placement,
    normals,
    purpose_of,
    seed_placement,
    uniforms,
)
from sbot_sim.sensors import gnss, imu
from sbot_sim.sensors.registry import _normals_of_worlds


def first_of(robot, tick, count=5, seed=3):
    return uniforms(seed, CONTROLLER, np.array([robot]), tick, count)[0].tolist()


def test_a_turns_numbers_are_those_of_its_tick_whatever_was_drawn_before():
    numbers = TickGenerator(3, 2, CONTROLLER)
    for tick, drawn_before in ((0, 0), (1, 1), (7, 6), (3, 5)):
        assert numbers.at(tick).random(5).tolist() == first_of(2, tick)
        numbers.generator.random(drawn_before)
        numbers.generator.integers(10, dtype=np.int32)  # keeps half a word
    assert numbers.at(8).random() == first_of(2, 8)[0]
    assert generator(3, 2, CONTROLLER, 8).random() == first_of(2, 8)[0]


def test_a_second_turn_in_a_tick_goes_on():
    numbers = TickGenerator(3, 2, CONTROLLER)
    assert [numbers.at(4).random() for _ in range(5)] == first_of(2, 4)


@pytest.mark.parametrize('draw', [
    lambda rng: rng.random(), lambda rng: rng.random(4), lambda rng: rng.random(8),
    lambda rng: rng.integers(5, dtype=np.int32), lambda rng: rng.normal()])
def test_it_knows_whether_anything_was_drawn_in_this_tick(draw):
    numbers = TickGenerator(3, 2, CONTROLLER)
    numbers.at(5)
    assert not numbers.drawn
    draw(numbers.generator)
    assert numbers.drawn
    numbers.at(6)
    assert not numbers.drawn


def test_a_copy_has_its_own_numbers():
    numbers = TickGenerator(3, 2, CONTROLLER)
    numbers.at(5).random()
    assert copy.deepcopy(numbers).at(6).random(5).tolist() == first_of(2, 6)
    assert numbers.at(5).random() == first_of(2, 5)[1]  # it still is in its tick
    assert numbers.at(6).random(5).tolist() == first_of(2, 6)


def test_placement_stays_what_it_was():
    expected = np.random.Generator(np.random.PCG64(np.random.SeedSequence([9, 4, PLACEMENT])))
    assert placement_generator(9, 4).random(3).tolist() == expected.random(3).tolist()
    assert PLACEMENT == 4  # seeds of scenarios, which are not to move robots


WORD = st.integers(0, 2**64 - 1)
ONES = 2**64 - 1
# Random123, tests/kat_vectors, philox4x64 with 10 rounds: counter, key, answer.
KNOWN = [
    ((0, 0, 0, 0), (0, 0),
     (0x16554D9ECA36314C, 0xDB20FE9D672D0FDC, 0xD7E772CEE186176B, 0x7E68B68AEC7BA23B)),
    ((ONES,) * 4, (ONES,) * 2,
     (0x87B092C3013FE90B, 0x438C3C67BE8D0224, 0x9CC7D7C69CD777B6, 0xA09CAEBF594F0BA0)),
    ((0x243F6A8885A308D3, 0x13198A2E03707344, 0xA4093822299F31D0, 0x082EFA98EC4E6C89),
     (0x452821E638D01377, 0xBE5466CF34E90C6C),
     (0xA528F45403E61D95, 0x38C72DBD566E9788, 0xA5A1610E72FD18B5, 0x57BD43B5E52B7FE6))]


@njit
def compiled(counter, key):
    return _philox(counter[0], counter[1], counter[2], counter[3], key[0], key[1])


def words_of(counter, key):
    return compiled(np.array(counter, np.uint64), np.array(key, np.uint64))


@pytest.mark.parametrize(('counter', 'key', 'answer'), KNOWN)
def test_known_answers(counter, key, answer):
    assert words_of(counter, key) == answer


@given(st.tuples(WORD, WORD, WORD, WORD), st.tuples(WORD, WORD))
def test_words_are_numpys(counter, key):
    """NumPy counts before it draws."""
    after = (sum(word << (64 * i) for i, word in enumerate(counter)) + 1) % 2**256
    numpys = np.random.Philox(key=np.array(key, np.uint64), counter=np.array(counter, np.uint64))
    answer = words_of([after >> (64 * i) & ONES for i in range(4)], key)
    assert answer == tuple(numpys.random_raw(4).tolist())


LISTED = ('CONTROLLER', 'INFRARED', 'SCAN', 'ODOMETRY', 'PLACEMENT', 'TURBULENCE', 'WHEEL_RADIUS',
          'KNOWLEDGE')
PURPOSES = sorted([imu.NOISE, imu.BIAS, gnss.NOISE, purpose_of('a sensor'), *(
    getattr(random, name) for name in LISTED)])
LEAST_P = 1e-3  # of a test with a fixed seed: it says the same each time


def test_uniform_numbers_are_numpys_to_the_bit():
    ids = np.array([0, 3, 99])
    for count in (0, 1, 3, 4, 5, 181):
        found = uniforms(12345, INFRARED, ids, 77, count)
        for row, robot in zip(found, ids, strict=True):
            numpys = generator(12345, robot, INFRARED, 77)
            np.testing.assert_array_equal(row, numpys.random(count))


@pytest.mark.parametrize('draw', [
    lambda robots, count: uniforms(5, SCAN, np.arange(robots), 9, count),
    lambda robots, count: normals(5, SCAN, robots, 9, count)])
def test_a_number_depends_on_its_index_alone(draw):
    """Neither on how many are drawn nor on how many robots there are."""
    all_of_them = draw(4, 23)
    for robots in range(5):
        for count in range(23):
            np.testing.assert_array_equal(draw(robots, count), all_of_them[:robots, :count])


def test_normal_numbers_are_box_and_mullers_of_the_uniform_ones():
    u = uniforms(5, SCAN, np.arange(50), 9, 180)
    radius, angle = np.sqrt(-2.0 * np.log(1.0 - u[:, ::2])), 2.0 * np.pi * u[:, 1::2]
    expected = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=2).reshape(50, 180)
    np.testing.assert_allclose(normals(5, SCAN, 50, 9, 180), expected, rtol=1e-12, atol=1e-15)


def assert_chances_are_even(chances):
    """Many tests' p values: each is to be uniform, so none is far too small, but some are small.

    One threshold for each of hundreds of tests would refuse good numbers.
    """
    assert min(chances) > LEAST_P / len(chances)
    assert stats.kstest(chances, 'uniform').pvalue > LEAST_P


@pytest.mark.parametrize('seed', [0, 1, 2**63 - 1])
def test_distributions_over_robots_ticks_and_indexes(seed):
    robots, uniform, normal = np.arange(3000), [], []
    for purpose in PURPOSES:
        samples = [uniforms(seed, purpose, robots, tick, count).ravel()
                   for tick, count in ((0, 1), (1, 7), (10**6, 1))]
        samples.append(np.array([uniforms(seed, purpose, robots[:1], tick, 1)[0, 0]
                                 for tick in range(2, 3000)]))
        for sample in samples:
            uniform.append(stats.kstest(sample, 'uniform').pvalue)
            assert sample.min() >= 0.0
            assert sample.max() < 1.0
        sample = normals(seed, purpose, 10_000, 3, 7).ravel()
        normal.append(stats.kstest(sample, 'norm').pvalue)
        assert sample.mean() == pytest.approx(0.0, abs=5 / np.sqrt(len(sample)))
        assert (sample**2).mean() == pytest.approx(1.0, abs=5 * np.sqrt(2 / len(sample)))
        assert (sample**4).mean() == pytest.approx(3.0, abs=5 * np.sqrt(96 / len(sample)))
    assert_chances_are_even(uniform)
    assert_chances_are_even(normal)


def test_numbers_of_neighbours_are_independent():
    """Of one seed, purpose, robot, tick or index and the next: no correlation, none equal."""
    n = 10_000
    base = normals(7, SCAN, n, 50, 4)
    others = {
        'seed': normals(8, SCAN, n, 50, 4)[:, 0],
        'purpose': normals(7, ODOMETRY, n, 50, 4)[:, 0],
        'tick': normals(7, SCAN, n, 51, 4)[:, 0],
        'robot': np.roll(base[:, 0], 1), 'pair': base[:, 1], 'index': base[:, 2],
        'magnitude': np.abs(base[:, 1]) - np.abs(base[:, 1]).mean()}
    for name, other in others.items():
        assert abs(np.corrcoef(base[:, 0], other)[0, 1]) < 4 / np.sqrt(n), name
        assert abs(np.corrcoef(base[:, 0]**2, other**2)[0, 1]) < 4 / np.sqrt(n), name
        assert not (base[:, 0] == other).any(), name


def test_purposes_differ_and_names_have_their_own():
    names = [purpose_of(name) for name in ('compass', 'compass ', 'sonar', '')]
    assert len({*PURPOSES, *names}) == len(PURPOSES) + 4
    assert all(2**32 <= number < 2**63 for number in names)
    assert purpose_of('compass') == 130893062245804650  # for ever


def test_those_of_several_worlds_are_those_of_each():
    seeds, ticks = np.array([3, 1, 2**62]), np.array([5, 0, 9])
    together = _normals_of_worlds(seeds, SCAN, 4, ticks, 3)
    alone = [normals(int(seed), SCAN, 4, int(tick), 3)
             for seed, tick in zip(seeds, ticks, strict=True)]
    np.testing.assert_array_equal(together, np.concatenate(alone))


@pytest.mark.parametrize('seed', [0, 7, 2**32 - 1, 2**32, 2**63 - 1])
@pytest.mark.parametrize('robot', [0, 1, 99_999])
def test_numbers_are_those_of_the_generator(seed, robot):
    state = np.zeros(4, np.uint64)
    seed_placement(seed, robot, state)
    assert [next_placement(state) for _ in range(9)] == placement_generator(
        seed, robot).random(9).tolist()
