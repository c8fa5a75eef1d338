"""Hooks in a batch: called once a world, with that world's rows, at its tick."""

import numpy as np
import pytest
from batches import make_batch

from sbot_common.errors import InputError
from sbot_sim.dynamics.hooks import Hooks


def test_the_effective_wind_is_asked_world_by_world():
    calls = []

    def halved(wind, reduction):
        calls.append((wind.copy(), reduction.copy()))
        return 0.5 * wind

    batch = make_batch(count=3, hooks=Hooks(effective_wind=halved))
    state = batch.state
    state.free_wind[:] = np.arange(12.0).reshape(6, 2)
    state.reduction[:] = np.arange(6) / 10
    state.updraft[:] = 1.0
    batch.tick._called.set_effective_wind(1, 3)
    assert [rows.tolist() for rows, _ in calls] == [[[4, 5], [6, 7]], [[8, 9], [10, 11]]]
    assert [reduction.tolist() for _, reduction in calls] == [[0.2, 0.3], [0.4, 0.5]]
    np.testing.assert_array_equal(state.wind[2:], state.free_wind[2:] / 2)
    assert not state.wind[:2].any(), 'world 0 was not asked for'
    np.testing.assert_allclose(state.updraft, [1, 1, 0.8, 0.7, 0.6, 0.5])


def test_a_blocking_rule_hears_who_is_in_the_world():
    def by_distance(wake, starts, indexes, ranges, bearings, yaw, wind, told, own):
        assert starts.tolist() == [0, 1, 2]
        assert indexes.tolist() == [1, 0]
        np.testing.assert_allclose(ranges, [1.0, 1.0])
        assert len(yaw) == len(wind) == len(told) == len(own) == 2
        return np.array([0.25, 0.75])

    batch = make_batch(wake={'wake': True}, rab=True, hears=False,
                       hooks=Hooks(blocking=by_distance))
    batch.tick._each.hear(0, 2)
    batch.tick._called.reduce(0, 2)
    assert batch.state.reduction.tolist() == [0.25, 0.75] * 2


def test_an_answer_of_another_shape_is_named_with_its_tick():
    def short(wind, reduction):
        return wind[:1]

    batch = make_batch(hooks=Hooks(effective_wind=short))
    batch.state.tick[:] = 7
    with pytest.raises(InputError, match=r'effective_wind_function at tick 7: short\(\)'):
        batch.tick._called.set_effective_wind(0, 1)
