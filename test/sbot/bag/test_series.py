"""Messages of a topic as arrays in the order of their stamps."""

import numpy as np
import pytest

from sbot.bag.series import Series, held
from sbot_common.errors import InputError
from sbot_common.topics import WIND
from sbot_common.wire import cdr, geometry


def wind(stamp_ns, *vector):
    return cdr.encode(cdr.message(WIND.type, header=cdr.header(stamp_ns, 'map'),
                                  vector=geometry.vector3(*vector)))


def test_rows_are_in_the_order_of_their_stamps():
    series = Series('/wind', WIND.type)
    assert series.add(wind(30, 0.5, 2.0, 3.0)) == 30
    assert series.add(wind(10, 1.5, 2.0, 3.0)) == 10
    stamps, rows = series.arrays()
    assert stamps.tolist() == [10, 30]
    assert rows.tolist() == [[1.5, 2.0, 3.0], [0.5, 2.0, 3.0]]
    assert held(np.array([5, 10, 29, 30]), stamps, rows)[:, 0].tolist() == [1.5, 1.5, 1.5, 0.5]
    series.clear()
    assert len(series) == 0


def test_a_message_that_is_cut_off_is_refused():
    with pytest.raises(InputError, match='/wind: a message ends after'):
        Series('/wind', WIND.type).add(wind(1, 1.0)[:-4])
