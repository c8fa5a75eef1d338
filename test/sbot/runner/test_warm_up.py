"""Compilation ahead of a run."""

import subprocess
import sys

import pytest

from sbot.runner import warm_up


def test_an_interrupt_ends_the_process_that_compiles_the_other_half(monkeypatch):
    started = []

    def start() -> subprocess.Popen:
        started.append(subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(1000)']))
        return started[0]

    def interrupted() -> None:
        raise KeyboardInterrupt
    monkeypatch.setattr(warm_up, 'is_warm', lambda: False)
    monkeypatch.setattr(warm_up, '_start_other_half', start)
    monkeypatch.setattr(warm_up, '_compile_senses_and_controllers', interrupted)
    try:
        with pytest.raises(KeyboardInterrupt):
            warm_up.warm_up()
        assert started[0].poll() is not None
    finally:
        started[0].kill()
