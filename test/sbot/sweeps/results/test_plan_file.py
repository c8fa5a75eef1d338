"""plan.json: it comes back as it was; damage is one line with file and key."""

import hashlib
import json

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


@pytest.mark.parametrize(('key', 'value', 'message'), [
    ('format', 1, 'format: got 1, expected 2'), ('version', 3, 'version: got 3, expected text'),
    ('sources', [], 'sources: got'), ('sources', [3], 'sources.0: got 3, expected a mapping'),
    ('sources', [{'name': 'one'}], "key 'text' is missing"),
    ('fixed', [], 'fixed: got'), ('fixed', {'a..b': 1}, 'fixed: got'),
    ('axes', {}, 'axes: got'), ('axes', [{'keys': ['a'], 'columns': []}], 'axes.0.columns: got'),
    ('axes', [{'keys': ['a'], 'columns': [[1], [2]]}], 'expected 1: one per key'),
    ('axes', [{'keys': ['a'], 'columns': [[]]}], 'axes.0.columns: got'),
    ('axes', [{'keys': ['a'], 'columns': [{'range': [0, 10**8, 1]}]}], 'axes.0.columns: got'),
    ('axes', [{'keys': ['a'], 'columns': [{'range': [0, 5, 0]}]}], 'axes.0.columns: got'),
    ('axes', [{'keys': ['a'], 'columns': [['\ud800']]}], 'axes.0.columns: got'),
    ('axes', [{'keys': ['a'], 'columns': [[10**30]]}], 'axes.0.columns: got'),
    ('axes', [{'keys': ['a', 'b'], 'columns': [[1, 2, 3], [2]]}], 'got 3, 1 values'),
    ('axes', [{'keys': [f'a{i}'], 'columns': [{'range': [0, 10**7, 1]}]} for i in range(9)],
     'expected at most 10000000'),
    ('seeds', [1, 1], 'seeds: got'), ('seeds', [-1], 'seeds: got'), ('seeds', 'x', 'seeds: got'),
    ('seeds', [True], 'seeds: got'), ('seeds', [], 'a sweep needs one'),
    ('metrics', 'm:f', 'metrics: got'), ('overlaps', 1, 'overlaps: got 1, expected true or false'),
    ('settings', {}, "key 'path' is missing"), ('more', 1, "unknown name 'more'"),
])
def test_a_wrong_value_is_told_by_its_key_where_the_checksum_fits(tmp_path, key, value, message):
    write_plan(tmp_path, STORED)
    data = json.loads((tmp_path / NAME).read_bytes())
    del data['sha256']
    data[key] = value
    text = json.dumps(data)
    data['sha256'] = hashlib.sha256(text.encode()).hexdigest()
    (tmp_path / NAME).write_text(json.dumps(data))
    with pytest.raises(InputError) as caught:
        read_plan(tmp_path)
    assert str(caught.value).startswith(f'{tmp_path / NAME}: ')
    assert message in str(caught.value)
