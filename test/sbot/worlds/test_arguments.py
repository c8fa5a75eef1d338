"""Wrong arguments of worlds: one line each, and nothing has changed."""

import math

import numpy as np
import pytest

import sbot
from sbot_common.errors import InputError

ROBOTS = [{'pose': [0.5 + 0.4 * i, 0.6, 0.3], 'body': 's-bot', 'controller': 'none'}
          for i in range(3)]
PLAIN = {'name': 'plain', 'rate': 10, 'world': {'bounds': [0, 0, 3, 3]}, 'robots': ROBOTS,
         'sensors': {'scan_beams': 9, 'range_and_bearing': True}}
STILL = np.zeros((2, 3, 2))
NETWORK = sbot.network('perceptron', ['pose'])
WEIGHTS = np.zeros(NETWORK.weight_count)


class Odd:
    def __array__(self, *given, **named):
        raise RuntimeError('no array')


@pytest.fixture
def worlds():
    return sbot.Worlds(PLAIN, 2, seeds=[3, 4])


def state(worlds):
    s = worlds.state
    return [np.array(each) for each in (s.tick, s.pose, s.command, s.rab_next, worlds.seeds,
                                        worlds.start)]


def run(worlds, policy=NETWORK, weights=WEIGHTS, ticks=2, **named):
    return worlds.run(policy, weights, ticks, **named)


@pytest.mark.parametrize(('call', 'words'), [
    *((lambda w, ticks=ticks: w.step(STILL, ticks=ticks), f'ticks: got {ticks}, expected a whole '
       'number from 1 to 10000000') for ticks in (-1, 0, math.nan, 1.5, True, 10**8)),
    (lambda w: run(w, ticks=math.nan), 'ticks: got nan'),
    (lambda w: w.step(STILL, ticks=[1]), r'ticks: got \[1\]'),
    (lambda w: w.step(STILL.transpose(1, 0, 2)), r"commands: got 'shape \(3, 2, 2\)'"),
    (lambda w: w.step(STILL[0]), r"commands: got 'shape \(3, 2\)', expected shape \(2, 3, 2\)"),
    (lambda w: w.step([[[0, 0]], [[0]]]), 'commands: got .* expected an array of numbers'),
    (lambda w: w.step(Odd()), 'commands: got .* expected an array of numbers'),
    (lambda w: w.step(None), 'commands: got None, expected finite numbers'),
    (lambda w: w.step(STILL.astype(str)), 'commands: got array.* expected finite numbers'),
    (lambda w: w.step(STILL + 0j), 'commands: got array.* expected finite numbers'),
    (lambda w: w.step(STILL, wheels='no'), "wheels: got 'no', expected True or False"),
    (lambda w: w.step(STILL, data=[[1], [1, 2]]), 'data: got'),
    (lambda w: w.step(np.ones((2, 3, 2)), data=np.zeros((2, 3, 9), np.uint8)), 'data: got'),
    (lambda w: w.reset([2**63, 1]), r'seeds: got \[9223372036854775808, 1\], expected 2 whole '
                                    'numbers from 0 to 9223372036854775807'),
    (lambda w: w.reset(np.array([2**63, 1], np.uint64)), 'seeds: got'),
    (lambda w: w.reset([[1], [1, 2]]), 'seeds: got'),
    (lambda w: w.reset([1.0, 2.0]), 'seeds: got'),
    (lambda w: w.reset([5, 6], start=np.zeros((2, 3, 3))), 'start of world 0: robot 0'),
    (lambda w: w.reset(start=np.full((3, 3), np.nan)), 'start: got nan'),
    (lambda w: w.reset(start=np.zeros(3)), r"start: got 'shape \(3,\)', expected shape "
                                           r'\(2, 3, 3\) or shape \(3, 3\)'),
    (lambda w: w.reset([5, 6], worlds=[True]), 'worlds: got'),
    (lambda w: w.reset([5, 6], worlds=[[0], [0, 1]]), 'worlds: got'),
    (lambda w: run(w, policy='network'), "policy: got 'network', expected what sbot.network"),
    *((lambda w, hold=hold: run(w, policy=NETWORK._replace(hold=hold)),
       f'hold: got {hold!r}, expected a whole number from 1 to')
      for hold in (-3, 0, 2.5, 'x', True)),
    (lambda w: run(w, weights='x'), "weights: got 'x', expected finite numbers"),
    (lambda w: run(w, weights=WEIGHTS[1:]), r"weights: got 'shape \(9,\)'"),
    (lambda w: run(w, goals=np.zeros((2, 2))), r"goals: got 'shape \(2, 2\)'"),
    (lambda w: run(w, goals=[[0, math.inf]] * 3), 'goals: got inf'),
    (lambda w: run(w, policy=sbot.network('perceptron', ['infrared'])),
     "inputs: infrared needs infrared in sense; add 'infrared'"),
    (lambda w: run(w, policy=sbot.network('perceptron', ['scan:999'])),
     r"inputs: got 'scan:999', expected at most scan:\d+"),
    (lambda w: run(w, keep='pose'), "keep: got 'pose', expected a list of any of pose, command"),
    (lambda w: run(w, keep=3), 'keep: got 3, expected a list'),
    (lambda w: run(w, keep=[[]]), r'keep: got \[\], expected any of'),
    (lambda w: run(w, keep=range(10**30)), 'keep: got')])
def test_what_is_refused_is_named_and_changes_nothing(worlds, call, words):
    before = state(worlds)
    with pytest.raises(InputError, match=f'^{words}'):
        call(worlds)
    for old, new in zip(before, state(worlds), strict=True):
        np.testing.assert_array_equal(old, new)


@pytest.mark.parametrize(('named', 'words'), [
    ({'count': 0}, 'count: got 0, expected a whole number from 1 to 1000000'),
    ({'count': 10**9}, 'count: got 1000000000'), ({'count': 1.0}, 'count: got 1.0'),
    ({'count': np.ones(2)}, 'count: got array'), ({'threads': 10**9}, 'threads: got'),
    ({'sense': 'scan'}, "sense: got 'scan', expected a list"), ({'sense': 1}, 'sense: got 1'),
    ({'sense': [{}]}, 'sense: got {}'), ({'sense': ['smell']}, "sense: got 'smell'"),
    ({'sense': np.array(1.0)}, 'sense: got array'),
    ({'seeds': [-1]}, r'seeds: got \[-1\]'), ({'seed': 2**63 - 1, 'count': 2}, 'seeds: got'),
    ({'controllers': {}}, 'controllers cannot be combined with worlds')])
def test_what_worlds_are_made_of_is_checked(named, words):
    with pytest.raises(InputError, match=f'^{words}'):
        sbot.Worlds(PLAIN, **named)
    if 'seed' not in named and words.startswith(('sense', 'controllers')):
        with pytest.raises(InputError, match=f'^{words}'):
            sbot.World(PLAIN, **named)


@pytest.mark.parametrize('seed', [-1, 2**63, 1.0, True, 'x', [1]])
def test_a_seed_of_a_single_world_is_a_whole_number(seed):
    world = sbot.World(PLAIN, seed=5)
    with pytest.raises(InputError, match=r'^seed: got .* from 0 to 9223372036854775807'):
        world.reset(seed)
    with pytest.raises(InputError, match=r'^seed: got'):
        sbot.World(PLAIN, seed=seed)
    assert world.worlds.seeds.tolist() == [5]
    world.reset(2**63 - 1)
    assert world.worlds.seeds.tolist() == [2**63 - 1]


@pytest.mark.parametrize('source', [None, 3, len, {1, 2}, np.zeros(2), NotImplemented])
def test_what_is_no_scenario(source):
    with pytest.raises(InputError, match=r'^scenario: got'):
        sbot.Worlds(source)


def test_a_lack_of_memory_is_said(worlds, monkeypatch):
    def none_left(*arguments):
        raise MemoryError
    monkeypatch.setattr('sbot.worlds.many.policy_arrays', none_left)
    with pytest.raises(InputError, match=r'^7 ticks of 2 worlds: need more memory than the mach'):
        run(worlds, ticks=7)
    monkeypatch.setattr('sbot_sim.engine.many.make_worlds', none_left)
    with pytest.raises(InputError, match=r'^9 worlds of 3 robots: need more memory than'):
        sbot.Worlds(PLAIN, 9)


@pytest.mark.parametrize(('named', 'words'), [
    ({'function': len}, 'function: got'), ({'function': 3}, 'function: got 3'),
    ({'weights': -1}, 'weights: got -1'), ({'weights': 10**12}, 'weights: got'),
    ({'memory': 1.5}, 'memory: got 1.5'), ({'memory': True}, 'memory: got True')])
def test_functions_as_policies(named, words):
    given = {'function': lambda *_: None, 'inputs': ['goal'], 'weights': 2, **named}
    with pytest.raises(InputError, match=f'^{words}'):
        sbot.function_policy(given.pop('function'), given.pop('inputs'), **given)
