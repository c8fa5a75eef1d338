"""Files that other files name: pipes and devices are refused at once, wherever they stand."""

import json
import os
import signal

import pytest
from pictures import record

from sbot.cli.main import main

pytestmark = pytest.mark.forked

ROBOTS = 'duration: 0.1\nrobots: [{pose: [1, 1, 0], goal: [3, 3]}]\n'
WORLD = 'world: {bounds: [0, 0, 9, 9]}\n'
MAP = 'image: pipe\nresolution: 1.0\norigin: [0, 0, 0]\nnegate: 0\noccupied_thresh: 0.6\n' \
      'free_thresh: 0.2\n'
NEURAL = 'neural_controller.controller:Neural'
SCENARIOS = {
    'map': 'world: {map: pipe}\n' + ROBOTS,
    'image': 'world: {map: map.yaml}\n' + ROBOTS,
    'wind': WORLD + ROBOTS + 'wind: {use_custom_static_wind_field: true, '
                             'custom_wind_field_path: pipe}\n',
    'table': WORLD + ROBOTS + 'sensors: {infrared: true, infrared_table: pipe}\n',
    'network': WORLD + ROBOTS.replace('goal: [3, 3]', f"controller: '{NEURAL}'")
               + f"sensors: {{infrared: true}}\ncontrollers: {{'{NEURAL}': {{network: pipe}}}}\n"}


@pytest.fixture(autouse=True)
def alarm():
    """Whatever waits for ever fails after a while."""
    def late(number, frame):
        raise AssertionError('waits for ever')
    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(200)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(params=['pipe', 'device'])
def folder(tmp_path, request):
    """A folder with a pipe in it, or a link to a device."""
    if request.param == 'pipe':
        os.mkfifo(tmp_path / 'pipe')
    else:
        (tmp_path / 'pipe').symlink_to('/dev/zero')
    (tmp_path / 'map.yaml').write_text(MAP)
    return tmp_path


def refused(arguments, capsys):
    assert main([str(word) for word in arguments]) == 2
    error = capsys.readouterr().err
    assert len(error.splitlines()) == 1
    return error


@pytest.mark.parametrize('kind', SCENARIOS)
def test_what_a_scenario_names(folder, kind, capsys):
    (folder / 'x.yaml').write_text(SCENARIOS[kind])
    error = refused(['run', folder / 'x.yaml', '--quiet'], capsys)
    assert 'pipe' in error
    assert 'regular file' in error


@pytest.mark.parametrize('pattern', ['metadata.yaml', '*.mcap'])
def test_the_files_of_a_recording(folder, pattern, capsys):
    path = record(folder)[0]
    found = next(path.glob(pattern))
    found.unlink()
    (folder / 'pipe').rename(found)
    for command in ('info', 'csv'):
        assert found.name in refused(['bag', command, path], capsys)
    assert found.name in refused(['bag', 'info', found], capsys)


@pytest.mark.parametrize('name', ['plan.json', 'runs.parquet'])
def test_the_files_of_results(folder, name, capsys):
    (folder / 'x.yaml').write_text(WORLD + ROBOTS)
    out = folder / 'out'
    assert main(['sweep', str(folder / 'x.yaml'), '-o', str(out), '--jobs', '1', '--quiet']) == 0
    capsys.readouterr()
    assert json.loads((out / 'plan.json').read_text())
    (out / name).unlink()
    (folder / 'pipe').rename(out / name)
    if name == 'plan.json':
        assert str(out) in refused(['sweep', 'show', out], capsys)
    else:  # what is no file is no table: the journal is read
        assert main(['sweep', 'show', str(out)]) == 0
