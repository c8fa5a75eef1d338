"""Arguments and names that nobody means well: one line each, and no control of anything."""

import subprocess
import sys

import pytest

from sbot.cli.main import main
from sbot.viewer.data import page

pytestmark = pytest.mark.forked

SCENARIO = ('name: %s\nworld: {bounds: [0, 0, 9, 9]}\nduration: 0.1\n'
            'robots: [{pose: [1, 1, 0], goal: [3, 3], controller: none}]\n')


@pytest.fixture
def scenario(tmp_path):
    path = tmp_path / 'x.yaml'
    path.write_text(SCENARIO % 'x')
    return str(path)


@pytest.mark.parametrize('setting', ['seed=\udcff', 'robots.' + '1' * 5000 + '=3',
    '.'.join(['a'] * 3000) + '=1', 'rate=1e-999999999', 'seed=' + '9' * 5000,
    'world.circles=' + '[' * 100_000, 'duration=1e999', 'target_real_time_factor=1e-300'])
def test_settings(scenario, setting, capsys):
    assert main(['run', scenario, '--set', setting, '--quiet']) == 2
    error = capsys.readouterr().err
    assert error.startswith('sbot: ')
    assert len(error.splitlines()) == 1
    assert len(error) < 1100


@pytest.mark.parametrize('options', [['--record', 'x' * 5000], ['--record', 'a\0b'],
                                     ['--plot', 'x.png', '--duration', '1e9']])
def test_other_options(scenario, options, capsys):
    assert main(['run', scenario, '--quiet', *options]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_scans_that_need_more_than_the_memory(tmp_path, capsys):
    path = tmp_path / 'many.yaml'
    path.write_text('world: {bounds: [0, 0, 9, 9]}\nsensors: {scan_beams: 100000}\n'
                    'robots: [{pose: [1, 1, 0], goal: [3, 3]}]\n')
    assert main(['run', str(path), '--quiet', '--set', 'sensors.scan_beams=1000000000000']) == 2
    assert 'scan_beams' in capsys.readouterr().err


def test_names_with_mathematics_are_drawn_as_they_are(tmp_path):
    path = tmp_path / 'x.yaml'
    path.write_text(SCENARIO % "'$\\frac{x$'")
    assert main(['run', str(path), '--quiet', '--plot', str(tmp_path / 'x.png')]) == 0


def test_names_with_marks_of_the_template_stay_names():
    text = page({'name': '@SCRIPT@ @RUN@ @TITLE@'}, '@RUN@ @SCRIPT@')
    assert '<title>@RUN@ @SCRIPT@</title>' in text
    assert '{"name":"@SCRIPT@ @RUN@ @TITLE@"}' in text


LONG = 'x' * 300


@pytest.mark.parametrize('arguments', [['new', LONG], ['new', '..'], ['new', '-'], ['run', LONG],
    ['run', 'loop'], ['plot', LONG, '-o', 'x.png'], ['view', LONG],
    ['view', 'loop', '-o', f'{LONG}.html'], ['bag', 'info', 'loop'], ['replay', LONG],
    ['sweep', LONG], ['sweep', 'show', LONG], ['wind', 'at', LONG, '0', '0', '0'],
    ['wind', 'make', 'vortex', LONG], ['run', 'x.yaml', '--record', 'loop/a'],
    ['run', 'x.yaml', '--plot', f'{LONG}.png']])
def test_names_that_are_too_long_and_links_to_themselves(scenario, tmp_path, arguments, capsys,
                                                         monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ('loop', 'loop.yaml'):
        (tmp_path / name).symlink_to(name)
    before = sorted(tmp_path.iterdir())
    assert main([*arguments, *['--quiet'] * (arguments[0] == 'run')]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize('name', ['none/x.gif', 'none/x.png', f'{LONG}.gif'])
def test_a_picture_that_has_no_place_is_refused_before_the_run(scenario, tmp_path, name, capsys,
                                                               monkeypatch):
    monkeypatch.setattr('sbot.cli.show._simulated', lambda _: pytest.fail('it was simulated'))
    monkeypatch.chdir(tmp_path)
    assert main(['plot', scenario, '-o', name]) == 2
    assert f'{name[-5:]}: cannot be written: ' in capsys.readouterr().err


def test_names_of_files_are_printed_without_control_characters(scenario, tmp_path, capsys):
    path = tmp_path / 'a\nb\x1b[31m.png'
    assert main(['plot', scenario, '-o', str(path)]) == 0
    said = capsys.readouterr()
    assert path.exists()
    assert len((said.out + said.err).splitlines()) == 1
    assert '\x1b' not in said.out + said.err


def test_a_full_disk_for_the_output(scenario):
    with open('/dev/full', 'w') as full:
        done = subprocess.run([sys.executable, '-m', 'sbot.cli', 'run', scenario, '--quiet'],
                              stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == 'sbot: output: No space left on device\n'
