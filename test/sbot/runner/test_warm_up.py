"""Compilation ahead of a run."""

import subprocess
import sys

import pytest

import sbot
from sbot.runner import warm_up
from sbot_common.compiled import lazy


def test_an_interrupt_ends_the_process_that_compiles_the_other_half(monkeypatch):
    started = []

    def start(*_) -> list[subprocess.Popen]:
        started.append(subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(1000)']))
        return started

    def parameters(_) -> None:
        for call in list(lazy.LISTENERS):
            call('a function')

    def interrupted(*_) -> None:
        raise KeyboardInterrupt
    monkeypatch.setattr(warm_up, 'simulation_parameters', parameters)
    monkeypatch.setattr(warm_up, 'is_warm', lambda _: False)
    monkeypatch.setattr(warm_up, '_start_other_half', start)
    monkeypatch.setattr(warm_up, '_compile_senses_and_controllers', interrupted)
    try:
        with pytest.raises(KeyboardInterrupt):
            warm_up.warm_up(quiet=True)
        assert started[0].poll() is not None
    finally:
        started[0].kill()


def test_the_other_process_starts_when_the_first_function_is_compiled(monkeypatch):
    """Also where the tables of the world compile nothing: an edit touches a few functions only."""
    started = []
    monkeypatch.setattr(warm_up, 'is_warm', lambda _: False)
    monkeypatch.setattr(warm_up, 'mark_warm', lambda _: None)
    monkeypatch.setattr(warm_up, '_start_other_half', lambda *_: started.append('other') or [])

    def compile_one(*_) -> None:
        for call in list(lazy.LISTENERS):
            call('a function')
        assert started == ['other']
    monkeypatch.setattr(warm_up, '_compile_senses_and_controllers', compile_one)
    scenario = sbot.load('single_robot', duration=0.1)
    warm_up.simulation_parameters(scenario)  # from here on its tables are loaded
    warm_up.warm_up(scenario, quiet=True)
    started.clear()
    monkeypatch.setattr(warm_up, '_compile_senses_and_controllers', lambda *_: None)
    warm_up.warm_up(scenario, quiet=True)
    assert started == []


CALLS = []


class Counted:
    """A controller that nobody may call before the run."""

    def step(self, observation, rng):
        CALLS.append(observation.tick)
        return 0.1, 0.0


def test_no_code_of_the_users_runs_before_the_run():
    scenario = {'duration': 0.2, 'rate': 10, 'world': {'bounds': [0, 0, 9, 9]},
                'robots': [{'pose': [4, 4, 0], 'controller': Counted}]}
    sbot.run(scenario)
    assert CALLS == [0, 1, 2]


def test_a_second_run_needs_no_warm_up(monkeypatch):
    scenario = sbot.load('single_robot', duration=0.1)
    warm_up.warm_up(scenario, quiet=True)
    monkeypatch.setattr(warm_up, '_compile_senses_and_controllers', None)
    warm_up.warm_up(scenario, quiet=True)


def test_many_robots_are_not_simulated_before_the_run():
    scenario = sbot.load({'duration': 9.0, 'world': {'bounds': [0, 0, 99, 99]}, 'robots': [
        {'count': 500, 'layout': 'grid', 'area': [1, 1, 98, 98], 'controller': 'none'}]})
    silent = warm_up._silent(scenario)
    assert (len(silent.robots), silent.duration) == (12, scenario.rate.dt)
