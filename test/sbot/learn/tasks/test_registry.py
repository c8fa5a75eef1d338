"""Tasks by name: those of the package, and ``module:ENTRY`` of a module of one's own."""

import csv
import importlib.util
import itertools
import sys

import numpy as np
import pytest

import sbot
from sbot.learn.evaluation import measured, play
from sbot.learn.proof.__main__ import main
from sbot.learn.tasks.registry import entry_of
from sbot_common.errors import InputError
from sbot_common.user_code import UserCodeError

NUMBERS = itertools.count()
HAS_CMA = importlib.util.find_spec('cma') is not None

TASK = """
import numpy as np

from sbot.learn import Entry, Metric, Rule, Scene


class Outwards(Scene):
    inputs = ('infrared',)
    max_speed, turn = 0.08, 0.095
    seconds, hold, team = 2.0, 2, 2
    arena = {'rate': 10, 'world': {'bounds': [0, 0, 2, 2]}, 'robots': [{'body': 's-bot'}],
             'sensors': {'infrared': True, 'scan_beams': 1}}

    def start(self, rng):
        return np.array([[0.6, 1.0, 3.1], [1.4, 1.0, 0.0]]) + rng.uniform(-0.05, 0.05, (2, 3))

    def reward(self, before, now):
        return np.abs(now.seen.pose[..., 0] - 1.0)


def apart(track):
    return np.abs(track.pose[-1, :, 0, 0] - track.pose[-1, :, 1, 0])


def ahead(inputs, weights, memory, outputs, layers, dt):
    outputs[0] = weights[0]
    outputs[1] = weights[0]


METRIC = Metric('apart', 'm', 'distance at the end', '', apart)
ENTRY = Entry('outwards', 'Robots leave each other.', Outwards, Outwards, METRIC,
              Rule(ahead, (1.0,)))
ALONE = ENTRY._replace(rule=None)
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Return a function that writes a module in the current folder and returns its name."""
    monkeypatch.setattr(sys, 'path', [*sys.path])
    monkeypatch.chdir(tmp_path)

    def write(text=TASK):
        name = f'own_task_{next(NUMBERS)}'
        (tmp_path / f'{name}.py').write_text(text)
        return name
    return write


def test_a_task_of_ones_own_has_the_name_by_which_it_is_given(module):
    name = f'{module()}:ENTRY'
    entry = entry_of(name)
    assert entry.name == name
    assert entry.metric.name == 'apart'
    assert entry_of(name) == entry


def test_without_a_scenario_a_task_plays_its_own_scenes(module):
    name = f'{module()}:ENTRY'
    scene = sbot.learn.scene(name)
    given = sbot.learn.vector_env(scene.scenario(3), 2, task=scene)
    for task in (name, scene):
        envs = sbot.learn.vector_env(None, 2, task=task)
        assert np.array_equal(envs.reset(seed=4)[0], given.reset(seed=4)[0])
    assert sbot.learn.env(task='coverage').reset(seed=1)[0].shape == (4, 18)
    assert sbot.learn.parallel_env(task='coverage').metadata['name'] == 'coverage'
    with pytest.raises(InputError, match='an environment needs a scenario, or a task with scenes'):
        sbot.learn.env()
    with pytest.raises(InputError, match='ReachGoal needs scenario, as it has no scenes'):
        sbot.learn.env(task=sbot.learn.ReachGoal())


def test_a_class_is_enough_where_there_is_no_metric(module):
    name = f'{module()}:Outwards'
    scene = sbot.learn.scene(name)
    envs = sbot.learn.vector_env(scene.scenario(0), 2, task=name)
    assert type(envs.episodes.task) is type(scene)
    with pytest.raises(InputError, match=r"^task: got 'own_task_\d+:Outwards', expected an Entry, "
                       'which has a metric; a class has none'):
        entry_of(name)


@pytest.mark.parametrize('make', ['make', 'make_vec'])
def test_gymnasium_makes_an_object(module, make):
    gymnasium = pytest.importorskip('gymnasium')
    name = f'{module()}:ENTRY'
    scene = sbot.learn.scene(name)
    made, same = (getattr(gymnasium, make)('sbot/Task-v0', task=task) for task in (scene, name))
    assert np.array_equal(made.reset(seed=1)[0], same.reset(seed=1)[0])
    with pytest.raises(InputError, match=r'^ReachGoal needs scenario, as it has no '
                       r'scenes of its own; give scenario=$'):
        getattr(gymnasium, make)('sbot/Task-v0', task=sbot.learn.ReachGoal())
    env = getattr(gymnasium, make)('sbot/Task-v0', task=sbot.learn.ReachGoal(),
                                   scenario='single_robot')
    assert np.isfinite(env.reset(seed=1)[0]).all()


@pytest.mark.skipif(not HAS_CMA, reason='cma is missing (extra evolve)')
@pytest.mark.parametrize('kind', ['ENTRY', 'ALONE'])
def test_the_proof_trains_it_with_and_without_a_rule(module, kind, tmp_path, capsys):
    name = f'{module()}:{kind}'
    words = [name, '--trainings', '2', '--processes', '2' if kind == 'ENTRY' else '1',
             '--generations', '1', '--episodes', '3', '-o', str(tmp_path / 'out')]
    assert main(words) == 0
    said = capsys.readouterr().out
    with (tmp_path / 'out' / 'rows.csv').open(newline='') as file:
        rows = list(csv.DictReader(file))
    rule = {('rule', '0')} if kind == 'ENTRY' else set()
    assert {(row['policy'], row['training']) for row in rows} == {
        ('evolved', '1'), ('evolved', '2'), *rule}
    assert {row['task'] for row in rows} == {name}
    assert f'| `{name}` | apart, m, higher is better | evolved | ' in said
    if kind == 'ALONE':  # of other processes, the output goes elsewhere
        mean = np.mean([float(row['value']) for row in rows
                        if (row['policy'], row['training']) == ('evolved', '1')])
        assert f'{name} evolved 1: apart {mean:.3f} m (mean), ' in said
    last = next(line for line in said.splitlines() if '| evolved |' in line)
    assert last.count(' | ') == (6 if kind == 'ALONE' else 8)  # nothing to compare it with
    file = tmp_path / 'out' / f"{name.replace(':', '_')}_evolved_2.json"
    run = sbot.run(sbot.learn.scene(name).scenario(
        5, 'neural_controller.controller:Neural', {'network': str(file)}))
    assert len(run.poses) == 20 + 1


@pytest.mark.parametrize(('text', 'kind', 'words'), [
    ('def f(:', 'ENTRY', "cannot import 'NAME' of 'NAME:ENTRY': SyntaxError: "),
    ('raise ValueError("two\\nlines")', 'ENTRY', 'ValueError: two lines'),
    (TASK, 'ENTRI', "module 'NAME' has no task 'ENTRI'; did you mean 'ENTRY'? "),
    (TASK, 'ahead', "module 'NAME' has no task 'ahead'; known: ALONE, ENTRY, Outwards (it was"),
    (TASK, 'Scene', "got 'NAME:Scene', expected a class of your own"),
    (TASK + "Outwards.max_speed = 'a'", 'ENTRY',
     "NAME:ENTRY: max_speed: got 'a', expected a number from 1e-06 to 1e+06"),
    (TASK + "Outwards.inputs = 'infrared'", 'ENTRY',
     "NAME:ENTRY: inputs: got 'infrared', expected a list of names"),
    (TASK + 'Outwards.hold = 2.5', 'ENTRY',
     'NAME:ENTRY: hold of the task (ticks): got 2.5, expected a whole number from 1 to '),
    (TASK + "Outwards.seconds = 'long'", 'ENTRY',
     "NAME:ENTRY: seconds of the task: got 'long', expected a number > 0"),
    (TASK + 'Outwards.team = 1.5', 'ENTRY',
     'NAME:ENTRY: team of the task: got 1.5, expected a whole number from 1 to '),
    (TASK + 'ENTRY = ENTRY._replace(hidden=5)', 'ENTRY',
     'NAME:ENTRY: hidden: got 5, expected a list of numbers of neurons')])
def test_what_is_no_task_gets_one_line(module, text, kind, words, tmp_path, capsys):
    name = module(text)
    words = words.replace('NAME', name)
    with pytest.raises(InputError) as caught:
        entry_of(f'{name}:{kind}')
    assert str(caught.value).startswith('task: ')
    assert words in str(caught.value)
    assert main([f'{name}:{kind}', '-o', str(tmp_path / 'out')]) == 2
    assert capsys.readouterr().err == f'sbot.learn.proof: {caught.value}\n'
    assert not (tmp_path / 'out').exists()


@pytest.mark.parametrize(('change', 'words'), [
    ('raise KeyError("metric")', "metric of NAME:ENTRY: KeyError: 'metric'"),
    ('return 1.0', "metric of NAME:ENTRY: got 'shape ()', expected shape (2,)"),
    ('return np.array([1.0, np.nan])', 'metric of NAME:ENTRY: got nan, expected finite')])
def test_a_metric_that_fails_is_named(module, change, words):
    name = module(TASK.replace('def apart(track):', f'def apart(track):\n    {change}'))
    entry = entry_of(f'{name}:ENTRY')
    track = play(entry, [1, 2], entry.rule_policy(), np.ones(1))
    with pytest.raises((InputError, UserCodeError)) as caught:
        measured(entry, track)
    assert words.replace('NAME', name) in str(caught.value)


@pytest.mark.parametrize('method', ['start', 'weather', 'aims'])
def test_a_scene_that_fails_is_named_with_its_own_lines(module, method, tmp_path, capsys):
    arguments = '*given'
    name = module(TASK.replace('    def reward(', f'    def {method}(self, {arguments}):\n'
                               '        raise KeyError("mine")\n\n    def reward('))
    with pytest.raises(UserCodeError, match=rf"^Outwards.{method}\(\): KeyError: 'mine'$"):
        sbot.learn.scene(f'{name}:ENTRY').scenario(1)
    assert main([f'{name}:ENTRY', '-o', str(tmp_path / 'out')]) == 1
    error = capsys.readouterr().err
    assert error.endswith(f"sbot.learn.proof: Outwards.{method}(): KeyError: 'mine'\n")
    assert f'{name}.py' in error


START = 'np.array([[0.6, 1.0, 3.1], [1.4, 1.0, 0.0]]) + rng.uniform(-0.05, 0.05, (2, 3))'


def drawing(start=START, aims='np.ones((2, 2))', weather='None'):
    return TASK.replace(f'        return {START}\n', f"""        return {start}

    def aims(self, rng, start):
        return {aims}

    def weather(self, rng):
        return {weather}
""")


@pytest.mark.parametrize(('change', 'words'), [
    ({'start': '[[1.0, 1.0, 0.0]]'}, r"start\(\): got 'shape \(1, 3\)', expected shape \(2, 3\)$"),
    ({'start': "'here'"}, r"start\(\): got 'here', expected finite numbers$"),
    ({'start': '[[1.0, 1.0, 0.0], [1.0, 1.5]]'}, r'start\(\): got .*, expected an array of numb'),
    ({'aims': 'np.ones((3, 2))'}, r"aims\(\): got 'shape \(3, 2\)', expected shape \(2, 2\)$"),
    ({'aims': 'np.full((2, 2), np.nan)'}, r'aims\(\): got nan, expected finite numbers$'),
    ({'weather': '[3]'}, r'weather\(\): got \[3\], expected a dictionary, or None$')])
def test_what_a_scene_draws_has_a_row_for_each_robot(module, change, words, tmp_path, capsys):
    name = f'{module(drawing(**change))}:ENTRY'
    with pytest.raises(InputError, match=f'^Outwards.{words}'):
        sbot.learn.scene(name).scenario(1)
    assert main([name, '-o', str(tmp_path / 'out')]) == 2
    assert capsys.readouterr().err.startswith('sbot.learn.proof: Outwards.')
