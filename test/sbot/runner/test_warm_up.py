"""Compilation ahead of a run."""

import subprocess
import sys

import pytest

import sbot
from sbot.runner import warm_up
from sbot.runner.loop import run_scenario
from sbot_common.compiled import lazy
from sbot_common.compiled.cache import CodeCache


def test_an_interrupt_ends_the_process_that_compiles_the_other_half(monkeypatch):
    started = []

    def start(*_) -> list[subprocess.Popen]:
        started.append(subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(1000)']))
        return started

    def interrupted(*_) -> None:
        for call in list(lazy.LISTENERS):
            call('a function')
        raise KeyboardInterrupt
    monkeypatch.setattr(warm_up, 'is_warm', lambda _: False)
    monkeypatch.setattr(warm_up, '_start_other_half', start)
    monkeypatch.setattr(warm_up, '_tasks', interrupted)
    try:
        with pytest.raises(KeyboardInterrupt):
            warm_up.warm_up(quiet=True)
        assert started[0].poll() is not None
    finally:
        started[0].kill()


def test_a_controller_of_a_class_within_a_function_is_compiled_for_by_this_process_alone(
        monkeypatch):
    class Stands:
        def step(self, observation, rng):
            return 0.0, 0.0
    monkeypatch.setattr(warm_up.os, 'cpu_count', lambda: 2)
    assert warm_up._start_other_half([Stands()], 'no claims') == []


def test_the_other_process_starts_when_the_first_function_is_compiled(monkeypatch):
    """Also where the tables of the world compile nothing: an edit touches a few functions only."""
    started = []
    monkeypatch.setattr(warm_up, 'is_warm', lambda _: False)
    monkeypatch.setattr(warm_up, 'mark_warm', lambda _: None)
    monkeypatch.setattr(warm_up, '_start_other_half', lambda *_: started.append('other') or [])

    def compile_one() -> None:
        for call in list(lazy.LISTENERS):
            call('a function')
        assert started == ['other']
    scenario = sbot.load('single_robot', duration=0.1)
    warm_up.warm_up(scenario, quiet=True)  # from here on its functions are loaded
    started.clear()
    monkeypatch.setattr(warm_up, '_tasks', lambda _: [compile_one])
    warm_up.warm_up(scenario, quiet=True)
    assert started == ['other']
    started.clear()
    monkeypatch.setattr(warm_up, '_tasks', lambda _: [])
    warm_up.warm_up(scenario, quiet=True)
    assert started == []


def test_a_run_after_the_tasks_compiles_only_what_is_short(monkeypatch):
    """What Python calls between the phases is compiled by one process while the other waits."""
    scenario = warm_up._silent(sbot.load('leader_follower', duration=0.1))
    for name in warm_up._controllers([scenario]):
        warm_up.entry_of(name).warm_up()
    for task in warm_up._tasks([scenario]):
        task()
    called = []
    monkeypatch.setattr(CodeCache, 'load_overload', lambda self, *_: called.append(self._stem()))
    run_scenario(scenario, keep=False)
    assert {*called} <= {'sbot_sim.worlds.batch._run_phases'}  # a tenth of a second


CALLS = []


class Counted:
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
    monkeypatch.setattr(warm_up, '_tasks', None)
    warm_up.warm_up(scenario, quiet=True)


def test_many_robots_are_not_simulated_before_the_run():
    scenario = sbot.load({'duration': 9.0, 'world': {'bounds': [0, 0, 99, 99]}, 'robots': [
        {'count': 500, 'layout': 'grid', 'area': [1, 1, 98, 98], 'controller': 'none'}]})
    silent = warm_up._silent(scenario)
    assert (len(silent.robots), silent.duration) == (17, scenario.rate.dt)
