"""History of episodes: columns of what is kept, taken apart again."""

import numpy as np
import pytest

from sbot.runner.episode import Episode
from sbot.worlds.episode import COLUMNS, columns_of, split
from sbot_common.errors import InputError


def test_names_come_in_the_order_of_the_columns():
    assert columns_of(['wind', 'pose']) == ['pose', 'wind']
    assert columns_of(()) == []
    assert columns_of(COLUMNS) == list(COLUMNS)
    with pytest.raises(InputError, match='keep'):
        columns_of(['poses'])


def test_rows_are_taken_apart_by_name():
    kept = np.arange(5 * 6 * 6.0).reshape(5, 6, 6)  # 5 ticks of 3 worlds of 2 robots
    kept[:, :, 3] = np.arange(30).reshape(5, 6) % 2
    found = split(kept, ['pose', 'collided', 'wind'], 3, 0.1)
    np.testing.assert_array_equal(found.pose.reshape(5, 6, 3), kept[:, :, :3])
    assert found.pose.shape == (5, 3, 2, 3)
    assert found.collided.dtype == bool
    np.testing.assert_array_equal(found.collided.reshape(5, 6), kept[:, :, 3] == 1)
    np.testing.assert_array_equal(found.wind.reshape(5, 6, 2), kept[:, :, 4:])
    assert found.command is found.infrared is None


def test_nothing_kept_is_nothing():
    found = split(np.zeros((0, 4, 0)), [], 2, 0.1)
    assert found == Episode(None, None, None, None, None, 0.1)
    assert repr(found) == '<Episode: nothing kept, ticks of 0.1 s>'


def test_an_episode_is_printed_in_one_line():
    found = split(np.zeros((5, 6, 4)), ['pose', 'collided'], 3, 0.05)
    assert repr(found) == '<Episode: 3 worlds, 2 robots, 5 ticks of 0.05 s; pose, collided>'
    found = split(np.zeros((1, 1, 3)), ['pose'], 1, 0.1)
    assert repr(found) == '<Episode: 1 world, 1 robot, 1 tick of 0.1 s; pose>'
