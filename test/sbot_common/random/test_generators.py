import copy

import numpy as np
import pytest

from sbot_common.random import generators
from sbot_common.random.generators import (
    CONTROLLER,
    PLACEMENT,
    TickGenerator,
    generator,
    placement_generator,
    purpose_of,
)
from sbot_common.random.numbers import uniforms


def test_purposes_differ_and_those_of_names_are_above_the_list():
    listed = [value for name, value in vars(generators).items()
              if name.isupper() and isinstance(value, int) and not name.startswith('_')]
    assert len(set(listed)) == len(listed)
    named = {purpose_of(name) for name in ('compass noise', 'compass bias', '')}
    assert len(named) == 3
    assert min(named) >= 2 ** 32 > max(listed)
    assert max(named) < 2 ** 64


def test_a_name_keeps_its_number():
    assert purpose_of('compass noise') == 116906137561482369  # recordings depend on it


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


def test_half_a_word_that_is_kept_is_forgotten():
    numbers = TickGenerator(3, 2, CONTROLLER)
    fresh = numbers.at(1).integers(2**32, size=3, dtype=np.uint32).tolist()
    numbers.at(0).integers(2**32, dtype=np.uint32)
    assert numbers.at(1).integers(2**32, size=3, dtype=np.uint32).tolist() == fresh


def test_a_second_turn_in_a_tick_goes_on():
    numbers = TickGenerator(3, 2, CONTROLLER)
    drawn = [numbers.at(4).random() for _ in range(5)]
    assert drawn == first_of(2, 4)


def test_a_tick_before_the_first_is_one_too():
    assert 0.0 <= TickGenerator(3, 2, CONTROLLER).at(-1).random() < 1.0


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
    other = copy.deepcopy(numbers)
    assert other.at(6).random(5).tolist() == first_of(2, 6)
    assert numbers.at(5).random() == first_of(2, 5)[1]  # it still is in its tick
    assert numbers.at(6).random(5).tolist() == first_of(2, 6)


def test_placement_stays_what_it_was():
    expected = np.random.Generator(np.random.PCG64(np.random.SeedSequence([9, 4, PLACEMENT])))
    assert placement_generator(9, 4).random(3).tolist() == expected.random(3).tolist()
    assert PLACEMENT == 4  # seeds of scenarios, which are not to move robots
