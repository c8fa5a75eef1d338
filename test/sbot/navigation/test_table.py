"""The rows of docs/results.md (test_docs compares its tables with them)."""

import json
from collections import Counter
from pathlib import Path

import pytest

from sbot.cli.main import main
from sbot.navigation.library import VERSION
from sbot.navigation.table import as_csv, as_markdown, read_rows_file, table
from sbot_common.errors import InputError

ROW = {'library': VERSION, 'scene': 'slit/10', 'seed': 0, 'controller': 'navigate', 'set': {},
       'error': None, 'success': 1, 'arrived': 1.0, 'spl': 0.9, 'time_s': None}


def test_rows_are_read_as_they_are(tmp_path):
    file = tmp_path / 'rows.jsonl'
    file.write_text(json.dumps(ROW) + '\n' + json.dumps(ROW))
    assert read_rows_file(file) == [ROW, ROW]


@pytest.mark.parametrize(('key', 'value', 'expected'), [('spl', 'abc', 'finite number'),
    ('spl', 10 ** 400, 'finite number'), ('spl', float('nan'), 'finite number'),
    ('arrived', 2, 'from 0 to 1'), ('success', True, 'finite number'),
    ('seed', -5, 'whole number'), ('seed', True, 'whole number'),
    ('seed', 2 ** 63, 'whole number'), ('error', 1, 'a text'),
    ('library', VERSION + 1, 'this version')])
def test_a_value_that_no_run_has_is_named(tmp_path, key, value, expected):
    file = tmp_path / 'rows.jsonl'
    file.write_text(json.dumps(ROW) + '\n' + json.dumps({**ROW, key: value}) + '\n')
    with pytest.raises(InputError, match=rf'rows\.jsonl:2: {key}: got .*expected .*{expected}'):
        read_rows_file(file)


@pytest.mark.parametrize(('raw', 'expected'), [
    (b'', 'got an empty file'), (b'{"scene": 1}\n', ':1: got'), (b'[' * 100_000, ':1: got'),
    (b'\xff\xfe\n', ':1: byte 0xff is not UTF-8'), (b'1' * 5000, ':1: got'),
    (None, 'cannot be read')])
def test_what_is_no_file_of_rows_is_one_line(tmp_path, capsys, raw, expected):
    file = tmp_path / 'rows.jsonl'
    if raw is not None:
        file.write_bytes(raw)
    for option in '--show', '--check':
        assert main(['bench', 'navigation', option, str(file)]) == 2
        told = capsys.readouterr().err
        assert expected in told
        assert told.count('\n') == 1


def test_a_table_has_no_control_characters_and_no_more_cells():
    row = {**ROW, 'controller': '\x1b]0;x\x07', 'set': {'a|b': '\x1b[31m'}}
    text = as_markdown(table([row]))
    assert text.replace('\n', '').isprintable()
    assert r'\x1b]0;x\x07 (a\|b=\x1b[31m)' in text
    assert as_csv([{**row, '\x1b': '\x1b'}]).replace('\n', '').isprintable()


ROOT = Path(__file__).resolve().parents[3]


def test_every_cell_of_the_shipped_rows_has_twenty_runs_without_errors():
    rows = read_rows_file(ROOT / 'benchmark' / 'navigation' / 'rows.jsonl')
    assert min(Counter((row['scene'], row['controller']) for row in rows).values()) >= 20
    assert [row for row in rows if row['error'] is not None] == []
    made = as_markdown(table(rows))
    for controller in {row['controller'] for row in rows}:
        assert f'| {controller} ' in made
