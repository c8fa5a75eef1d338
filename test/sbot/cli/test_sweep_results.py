"""`sbot sweep show` and `sbot sweep plot`."""

import pytest
from finished_sweep import make

from sbot.cli.main import main


def test_help_names_the_other_two_commands(capsys):
    for words, text in ((['sweep', '--help'], 'sbot sweep plot DIR'),
                        (['sweep', 'show', '--help'], 'usage: sbot sweep show'),
                        (['sweep', 'plot', '--help'], 'usage: sbot sweep plot')):
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert ended.value.code == 0
        said = ' '.join(capsys.readouterr().out.split())
        assert text in said
        assert '%%' not in said
        assert ('3: some failed' in said) == (words == ['sweep', '--help'])


def test_the_command_writes_the_picture(tmp_path, capsys):
    folder = make(tmp_path / 'a')
    assert main(['sweep', 'plot', str(folder)]) == 0
    assert capsys.readouterr().out == f'{folder}/goal_reached_s.png\n'
    assert (folder / 'goal_reached_s.png').read_bytes()[:4] == b'\x89PNG'
    for options, message in [(['--by', 'nothing'], "unknown name 'nothing'"),
                             (['--metric', 'error'], 'error is a column without numbers'),
                             (['--metric', 'arrived'], "did you mean 'robots_arrived'?"),
                             (['-o', 'a.bmp'], 'a file that ends in .png'),
                             (['-o', 'a\0.png'], 'a file that ends in .png')]:
        assert main(['sweep', 'plot', str(folder), *options]) == 2
        assert message in capsys.readouterr().err


def test_a_table_for_a_paper_is_printed_or_written(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make(tmp_path / 'a')
    assert main(['sweep', 'show', 'a', '--csv', 'a.csv']) == 0
    assert capsys.readouterr().out == 'a.csv\n'
    assert main(['sweep', 'show', 'a', '--csv', '-']) == 0
    assert capsys.readouterr().out == (tmp_path / 'a.csv').read_text()
    assert not (tmp_path / '-').exists()


def test_a_folder_without_results_is_told(tmp_path, capsys):
    assert main(['sweep', 'show', str(tmp_path)]) == 2
    assert 'holds no sweep' in capsys.readouterr().err
    folder = make(tmp_path / 'a')
    assert main(['sweep', 'show', str(folder / 'runs.csv')]) == 2
    assert 'runs.csv: is a file; give the folder of the results' in capsys.readouterr().err
    assert main(['sweep', str(folder)]) == 2
    assert 'expected a scenario, not the results of a sweep' in capsys.readouterr().err


def test_text_of_a_results_folder_does_not_control_the_terminal(tmp_path, capsys):
    evil = 'm:a\x1b]0;title\x07/$\\frac{x$'
    folder = make(tmp_path / 'a', {'x\x1b[31m': ['v\x1b[2J\n', 'w\x9b31m']}, metrics=(evil,))
    assert main(['sweep', 'show', str(folder)]) == 0
    shown = capsys.readouterr().out
    assert main(['sweep', 'plot', str(folder)]) == 0  # in a file of this folder
    assert len(list(folder.glob('*.png'))) == 1
    shown += capsys.readouterr().out
    assert '\\x1b' in shown
    assert not {'\x1b', '\x07', '\x9b'} & set(shown)
