"""Linters of ament, where ROS 2 is installed with them; their settings are in setup.cfg.

There is no test of ament_copyright, nor does package.xml ask for it: it knows no SPDX lines, which
all modules have, and says "could not find copyright notice" of each (ament_lint 0.19.0). What it
accepts is the text of thirteen lines in every file.
"""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = [str(ROOT / name) for name in (
    'sbot_common', 'wind_model', 'sbot_sim', 'sbot', 'potential_field_bot', 'launch')]


def test_flake8():
    main = pytest.importorskip('ament_flake8.main')
    code, errors = main.main_with_errors(['--config', str(ROOT / 'setup.cfg'), *SOURCES])
    assert code == 0, '\n'.join(errors)


def test_pep257():
    main = pytest.importorskip('ament_pep257.main')
    # A magic method may have none (ruff's D102), and ruff knows verbs better.
    assert main.main(['--convention', 'numpy', '--add-ignore', 'D102', 'D105', 'D401', '--',
                      *SOURCES]) == 0
