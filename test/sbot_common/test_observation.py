"""The one builder of observations."""

import numpy as np
import pytest

from sbot_common.clock import Rate
from sbot_common.observation import Neighbours, Scan, make_observation
from sbot_common.user_code import UserCodeError, call_user_code

RATE = Rate(100, 3)


def test_no_array_can_be_written_to_and_those_given_still_can():
    given = {'scan': Scan(np.zeros(2, np.float32), 0.0, 0.1, 0.0, 9.0),
             'infrared': np.zeros(15, np.float32),
             'neighbours': Neighbours(np.zeros(1, np.float32), np.zeros(1, np.float32),
                                      np.zeros((1, 10), np.uint8))}
    poses = np.zeros((1, 3))
    seen = make_observation(0, RATE, None, RATE.stamp_ns(0), poses, given)
    for array in (seen.poses, seen.scan.ranges, seen.infrared, *seen.neighbours):
        with pytest.raises(ValueError, match='read-only'):
            array[0] = 1
    poses[0] = 1.0
    given['infrared'][0] = 1.0
    assert seen.scan[1:] == given['scan'][1:]


def test_an_unknown_field_is_an_error():
    with pytest.raises(TypeError, match='smell'):
        make_observation(0, RATE, None, 9, np.zeros((1, 3)), {'smell': 1.0})


@pytest.mark.parametrize(('written', 'meant'), [('gaol', 'goal'), ('gns', 'gnss')])
def test_a_misspelt_field_is_asked_about_in_one_line(written, meant):
    seen = make_observation(0, RATE, (1.0, 2.0), RATE.stamp_ns(0), np.zeros((1, 3)), {},
                            others=('gnss',))
    with pytest.raises(UserCodeError, match=f"no attribute '{written}'; did you mean '{meant}'"):
        call_user_code(lambda: getattr(seen, written), lambda: 'robot 0 at tick 0')
