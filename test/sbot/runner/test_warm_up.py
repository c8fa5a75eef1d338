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


def test_each_phase_is_compiled_by_one_of_two_processes(tmp_path):
    """From the first on by one, from the last on by the other, whoever comes first."""
    done: list[tuple[str, int]] = []

    def tasks(who: str) -> list:
        return [(k, lambda k=k: done.append((who, k))) for k in range(6)]
    one, other = iter(tasks('one')), iter(tasks('other')[::-1])
    for _ in range(6):
        for mine in (one, other):
            warm_up._compile_unclaimed([next(mine)], str(tmp_path))
    assert done == [('one', 0), ('other', 5), ('one', 1), ('other', 4), ('one', 2), ('other', 3)]


def test_a_phase_that_cannot_be_compiled_says_so(tmp_path):
    def fail() -> None:
        raise FileExistsError
    with pytest.raises(FileExistsError):
        warm_up._compile_unclaimed([(0, fail)], str(tmp_path))


def test_what_compiles_covers_the_phases_of_a_run():
    """A run after the tasks alone compiles only what Python calls between the phases."""
    scenario = warm_up._silent(sbot.load('leader_follower', duration=0.1))
    phases = [task.args[0][0].function.__name__ for task in warm_up._tasks([scenario])
              if isinstance(task.args[0], list)]
    assert len(set(phases)) == len(phases)
    assert {'begin', 'scan', 'resolve_overlaps', 'measure_odometry', 'sum_impulses', 'propose',
            'decode_yaws', 'update_twists', 'end_tick'} <= set(phases)


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
    monkeypatch.setattr(warm_up, '_tasks', None)
    warm_up.warm_up(scenario, quiet=True)


def test_many_robots_are_not_simulated_before_the_run():
    scenario = sbot.load({'duration': 9.0, 'world': {'bounds': [0, 0, 99, 99]}, 'robots': [
        {'count': 500, 'layout': 'grid', 'area': [1, 1, 98, 98], 'controller': 'none'}]})
    silent = warm_up._silent(scenario)
    assert (len(silent.robots), silent.duration) == (12, scenario.rate.dt)
