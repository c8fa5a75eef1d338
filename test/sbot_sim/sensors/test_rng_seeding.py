import numpy as np
import pytest

from sbot_common.rng import generator
from sbot_sim.sensors.rng_array import generator_states

MASK = 2**64 - 1


def numpys_states(seed, ids, stream):
    rows = []
    for robot_id in ids:
        state = generator(seed, robot_id, stream).bit_generator.state['state']
        rows.append([part >> shift & MASK for part in (state['state'], state['inc'])
                     for shift in (64, 0)])
    return np.array(rows, np.uint64)


@pytest.mark.parametrize('seed', [0, 1, 7, 2**31, 2**32 - 1, 2**32, 2**40 + 3, 2**63 - 1])
def test_states_are_numpys(seed):
    ids = [0, 1, 5, 1000, 2**32 - 1, 2**32, 2**33 + 1]
    for stream in range(5):
        np.testing.assert_array_equal(generator_states(seed, ids, stream),
                                      numpys_states(seed, ids, stream))
