"""Entry point of the command."""

import os
import signal
import sys

from children import python

from potential_field_bot.entry import main

COMMAND = 'import sys; from potential_field_bot.entry import main; sys.exit(main())'


def test_it_is_the_command(monkeypatch, capsys):
    monkeypatch.setattr(sys, 'argv', ['sbot', 'list', 'maps'])
    before = {number: signal.getsignal(number) for number in (
        signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        assert main() == 0
    finally:  # a command keeps its handlers to the end of its process
        for number, handler in before.items():
            signal.signal(number, handler)
    assert 'rooms' in capsys.readouterr().out


def test_a_module_of_another_project_is_named_and_not_imported(tmp_path):
    (tmp_path / 'sbot').mkdir()
    (tmp_path / 'sbot' / '__init__.py').write_text("raise RuntimeError('no robot')\n")
    done = python('-c', COMMAND, 'list', cwd=tmp_path,
                  env={**os.environ, 'PYTHONPATH': str(tmp_path)})
    assert (done.returncode, done.stdout) == (2, '')
    assert done.stderr == (
        f'sbot: {tmp_path}/sbot/__init__.py belongs to another project named sbot; uninstall it '
        '(pip uninstall sbot), and install potential_field_bot again\n')
