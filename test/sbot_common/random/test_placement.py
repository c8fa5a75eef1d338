"""Numbers of placement in compiled code are NumPy's."""

import numpy as np
import pytest

from sbot_common.random import placement_generator
from sbot_common.random.numbers import next_placement, seed_placement


@pytest.mark.parametrize('seed', [0, 7, 2**32 - 1, 2**32, 2**63 - 1])
@pytest.mark.parametrize('robot', [0, 1, 99_999])
def test_numbers_are_those_of_the_generator(seed, robot):
    state = np.zeros(4, np.uint64)
    seed_placement(seed, robot, state)
    assert [next_placement(state) for _ in range(9)] == placement_generator(
        seed, robot).random(9).tolist()
