import numpy as np
import pytest

from sbot.figures.data import from_result
from sbot.figures.picture import plot_run
from sbot.figures.recording import from_bag, load_run
from sbot_common.errors import InputError


def test_a_recording_and_its_run_give_the_same_data(recorded):
    path, run = recorded
    bag, live = from_bag(path), from_result(run)
    for name in ('stamps_ns', 'poses', 'wind', 'free_wind', 'radius', 'outside'):
        assert np.array_equal(getattr(bag, name), getattr(live, name)), name
    assert bag.goals == live.goals
    assert bag.goals[0][2:] == (13.0, 5.5)
    assert bag.wind.any()
    assert (bag.free_wind[1:] == bag.outside[:2]).all()


def test_a_recording_takes_no_changes_and_an_unwritable_file_is_named(recorded, tmp_path, data):
    with pytest.raises(InputError, match='is a recording'):
        load_run(recorded[0], {'seed': 2})
    with pytest.raises(InputError, match=r'none/x\.png: cannot be written: No such file'):
        plot_run(data, tmp_path / 'none' / 'x.png')
