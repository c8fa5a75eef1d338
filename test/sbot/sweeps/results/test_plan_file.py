"""plan.json: it comes back as it was; damage is one line with file and key."""

import pytest

from sbot.sweeps.plan import Plan, Source, grid_axes, zip_axis
from sbot.sweeps.results.plan_file import NAME, Settings, Stored, read_plan, write_plan
from sbot_common.errors import InputError

PLAN = Plan((Source('one', 'text', 'one.yaml', '/', None),), {'rate': 10.5},
            (*grid_axes({'a': [0.1, [1, 'x']], 'b': range(3)}),
             *zip_axis({'c': [1, 2], 'd': [3, None]})),
            range(5), ('m:f',), overlaps=False)
STORED = Stored(PLAN, '1.2', Settings(('/x',), 2.5, 2**30, 'failed'))


def test_it_comes_back_as_it_was(tmp_path):
    write_plan(tmp_path, STORED)
    again = read_plan(tmp_path)
    assert again.plan.fingerprint == PLAN.fingerprint
    assert again.plan.differences(PLAN) == []
    assert [again.plan[i] for i in range(len(PLAN))] == [PLAN[i] for i in range(len(PLAN))]
    assert (again.version, again.settings) == (STORED.version, STORED.settings)


def test_every_flipped_bit_is_told(tmp_path):
    write_plan(tmp_path, STORED)
    good = (tmp_path / NAME).read_bytes()
    for place in range(len(good)):
        (tmp_path / NAME).write_bytes(
            good[:place] + bytes([good[place] ^ 1 << place % 8]) + good[place + 1:])
        with pytest.raises(InputError, match=r'plan\.json: '):
            read_plan(tmp_path)


@pytest.mark.parametrize('text', [
    '', '[]', '3', '{}', '[' * 100_000, 'null', '"x"', '\udcff', '\0'])
def test_what_is_no_plan_is_told(tmp_path, text):
    (tmp_path / NAME).write_bytes(text.encode('utf-8', 'surrogateescape'))
    with pytest.raises(InputError, match=r'plan\.json: '):
        read_plan(tmp_path)


def test_no_plan_and_one_that_would_wait_for_ever(tmp_path):
    import os
    with pytest.raises(InputError, match='holds no sweep'):
        read_plan(tmp_path)
    os.mkfifo(tmp_path / NAME)
    with pytest.raises(InputError, match='holds no sweep'):
        read_plan(tmp_path)
