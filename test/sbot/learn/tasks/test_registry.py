"""Tasks by name: those of the package, and ``module:ENTRY`` of a module of one's own."""

import importlib.util
import itertools
import sys

import numpy as np
import pytest

import sbot
from sbot.learn.proof.__main__ import main
from sbot.learn.proof.compare import baselines
from sbot.learn.proof.rows import read_rows
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


def test_environments_and_scenes_take_it(module):
    name = f'{module()}:ENTRY'
    scene = sbot.learn.scene(name)
    assert type(scene).__name__ == 'Outwards'
    one = sbot.learn.env(scene.scenario(4), task=scene)
    other = sbot.learn.env(scene.scenario(4), task=name)
    assert np.array_equal(one.reset(seed=3)[0], other.reset(seed=3)[0])
    reward = other.step(np.ones((2, 2), np.float32))[1]
    assert reward == one.step(np.ones((2, 2), np.float32))[1] > 0.3


def test_a_class_is_enough_where_there_is_no_metric(module):
    name = f'{module()}:Outwards'
    scene = sbot.learn.scene(name)
    envs = sbot.learn.vector_env(scene.scenario(0), 2, task=name)
    assert type(envs.episodes.task) is type(scene)
    with pytest.raises(InputError, match=r"^task: got 'own_task_\d+:Outwards', expected an Entry, "
                       'which has a metric; a class has none'):
        entry_of(name)


@pytest.mark.parametrize('where', ['scene', 'scenario'])
def test_gymnasium_makes_it(module, where):
    gymnasium = pytest.importorskip('gymnasium')
    name = f'{module()}:ENTRY'
    given = {} if where == 'scene' else {'scenario': sbot.learn.scene(name).scenario(2)}
    env = gymnasium.make('sbot/Task-v0', task=name, **given)
    assert env.reset(seed=1)[0].shape == (2, 15)
    envs = gymnasium.make_vec('sbot/Task-v0', num_envs=3, task=name, **given)
    assert envs.reset(seed=1)[0].shape[0] == 3


def test_gymnasium_asks_for_the_task():
    gymnasium = pytest.importorskip('gymnasium')
    with pytest.raises(TypeError, match="'task'"):
        gymnasium.make('sbot/Task-v0')


@pytest.mark.skipif(not HAS_CMA, reason='cma is missing (extra evolve)')
@pytest.mark.parametrize('kind', ['ENTRY', 'ALONE'])
def test_the_proof_trains_it_with_and_without_a_rule(module, kind, tmp_path, capsys):
    name = f'{module()}:{kind}'
    words = [name, '--trainings', '2', '--processes', '2' if kind == 'ENTRY' else '1',
             '--generations', '1', '--episodes', '3', '-o', str(tmp_path / 'out')]
    assert main(words) == 0
    said = capsys.readouterr().out
    rows = read_rows(tmp_path / 'out' / 'rows.csv')
    rule = {('rule', 0)} if kind == 'ENTRY' else set()
    assert {(row.policy, row.training) for row in rows} == {
        ('random', 0), ('evolved', 1), ('evolved', 2), *rule}
    assert {row.task for row in rows} == {name}
    assert f'| `{name}` | apart, m, higher is better | evolved | ' in said
    last = next(line for line in said.splitlines() if '| evolved |' in line)
    assert last.endswith(' |  |  |') == (kind == 'ALONE')  # nothing to compare it with
    file = tmp_path / 'out' / f"{name.replace(':', '_')}_evolved_2.json"
    run = sbot.run(sbot.learn.scene(name).scenario(
        5, 'neural_controller.controller:Neural', {'network': str(file)}))
    assert len(run.poses) == 20 + 1


@pytest.mark.parametrize(('text', 'kind', 'words'), [
    ('def f(:', 'ENTRY', "cannot import 'NAME' of 'NAME:ENTRY': SyntaxError: "),
    ('raise ValueError("two\\nlines")', 'ENTRY', 'ValueError: two lines'),
    (TASK, 'ENTRI', "module 'NAME' has no task 'ENTRI'; did you mean 'ENTRY'? "),
    (TASK, 'METRIC', "module 'NAME' has no task 'METRIC'"),
    (TASK, 'ahead', "module 'NAME' has no task 'ahead'; known: ALONE, ENTRY, Outwards (it was"),
    (TASK, 'Scene', "got 'NAME:Scene', expected a class of your own"),
    (TASK + 'ENTRY = ENTRY._replace(scene=3)', 'ENTRY',
     'NAME:ENTRY.scene: got 3, expected a class of Scene'),
    (TASK + 'ENTRY = ENTRY._replace(task=METRIC)', 'ENTRY', 'expected a class of Task'),
    (TASK + 'ENTRY = ENTRY._replace(metric=apart)', 'ENTRY', 'expected a Metric'),
    (TASK + 'ENTRY = ENTRY._replace(rule=ahead)', 'ENTRY', 'expected a Rule, or None'),
    (TASK + 'Outwards.turn = None', 'ENTRY',
     'NAME:ENTRY.scene: turn of Outwards: got None, expected a number'),
])
def test_what_is_no_task_gets_one_line(module, text, kind, words, tmp_path, capsys):
    name = module(text)
    words = words.replace('NAME', name)
    with pytest.raises(InputError) as caught:
        entry_of(f'{name}:{kind}')
    assert str(caught.value).startswith('task: ')
    assert words in str(caught.value)
    assert main([f'{name}:{kind}', '-o', str(tmp_path / 'out')]) == 2
    error = capsys.readouterr().err
    assert error == f'sbot.learn.proof: {caught.value}\n'
    assert not (tmp_path / 'out').exists()


@pytest.mark.parametrize('arena', [{}, None, {'robots': []}, {'robots': [3]},
                                   {'robots': [{'body': 's-bot'}] * 2}])
def test_an_arena_has_one_entry_of_robots(module, arena):
    name = module(TASK + f'Outwards.arena = {arena}')
    with pytest.raises(InputError, match=r'^arena of Outwards: got .*, expected values of a scen'):
        sbot.learn.scene(f'{name}:ENTRY').scenario(1)


def test_a_name_that_is_none_shows_the_form_of_ones_own():
    with pytest.raises(InputError, match=r"unknown name 'gaps.ENTRY'; known: .*, module:ENTRY"):
        entry_of('gaps.ENTRY')


def test_a_missing_module_is_named():
    with pytest.raises(InputError, match=(
            r"^task: cannot import 'no_such_task' of 'no_such_task:ENTRY': ModuleNotFoundError")):
        sbot.learn.env('single_robot', task='no_such_task:ENTRY')


def test_no_module_beside_the_package_stands_in_for_one_of_it(module, tmp_path):
    """As with controllers: the current folder is not searched for the package's own modules."""
    (tmp_path / 'navground.py').write_text(TASK)
    with pytest.raises(InputError, match=r"^task: (cannot import|module) 'navground'"):
        entry_of('navground:ENTRY')
    assert str(tmp_path) not in sys.path


@pytest.mark.parametrize(('change', 'words'), [
    ('raise KeyError("metric")', "metric of NAME:ENTRY: KeyError: 'metric'"),
    ('return 1.0', "metric of NAME:ENTRY: got 'shape ()', expected shape (2,)"),
    ('return np.array([1.0, np.nan])', 'metric of NAME:ENTRY: got [1.0, nan], expected finite'),
])
def test_a_metric_that_fails_is_named(module, change, words):
    name = module(TASK.replace('def apart(track):', f'def apart(track):\n    {change}'))
    with pytest.raises((InputError, UserCodeError)) as caught:
        baselines(entry_of(f'{name}:ENTRY'), [1, 2])
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
