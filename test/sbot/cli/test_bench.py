"""The command `sbot bench`: its table, CSV and JSON."""

import csv
import json

from sbot.bench import BenchResult
from sbot.cli.bench import _heading, _line
from sbot.cli.main import main


def test_the_table_fits_80_columns_and_shouts_about_overlaps():
    large = BenchResult('controllers', 10_000, 16, 1234.5, 12345.6, 999.7, 1e9, 170.5, 99999.9,
                        12345.0, 9999.0, 0)
    for result in (large, large._replace(ms_per_step=0.00951)):
        assert len(_heading()) == len(_line(result)) <= 80
    assert _line(large).split()[3:] == ['1234', '12346', '1000', '1000', '170', '100000', '12345']
    assert _line(large._replace(overlaps=3)).endswith('\n3 OVERLAPS')


def test_command_writes_table_csv_and_json(tmp_path, capsys):
    options = ['bench', '--robots', '8', '--cases', 'motion', '--threads', '1', '--seconds', '0']
    file = tmp_path / 'new.csv'
    assert main([*options, '--csv', str(file)]) == 0
    assert 'motion' in capsys.readouterr().out
    rows = list(csv.DictReader(file.open()))
    told = [(row['case'], row['robots'], row['overlaps']) for row in rows]
    assert told == [('motion', '8', '0')]
    assert main([*options, '--json']) == 0
    assert json.loads(capsys.readouterr().out)['results'][0]['robots'] == 8
    assert main([*options, '--csv', str(file)]) == 2
    assert 'exists already' in capsys.readouterr().err


def test_small_worlds_are_measured_as_json(capsys):
    assert main(['bench', '--cases', 'evaluations', '--seconds', '0', '--json']) == 0
    result = json.loads(capsys.readouterr().out)
    for key in ('evaluations_per_cpu_s', 'laser_robot_steps_per_cpu_s', 'world_step_us',
                'world_step_cpu_us', 'batch_motion_ms', 'batch_step_ms'):
        assert result[key] > 0
