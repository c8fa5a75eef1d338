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
from sbot.learn.proof.training import _Judge
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


def test_scenarios_of_scenes_have_the_name_of_their_task(module):
    name = module()
    for given, expected in (('coverage', 'coverage'), (f'{name}:ENTRY', name),
                            (f'{name}:Outwards', 'Outwards')):
        assert sbot.load(sbot.learn.scene(given).scenario(7)).name == expected
    scene = sbot.learn.scene(f'{name}:ENTRY')
    scene.arena = {**scene.arena, 'name': 'mine'}
    assert scene.scenario(7)['name'] == 'mine'


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


@pytest.mark.parametrize(('own', 'words'), [
    ('def begin(self, worlds, world, rng): pass',
     'begin() of Outwards cannot be combined with Scene, as it would not reach scenario(seed); '
     'draw the wind in weather() and poses in start(), or use a class of Task'),
    ('def goals(self, worlds, world, rng): pass',
     'goals() of Outwards cannot be combined with Scene, as it would not reach scenario(seed); '
     'draw goals in aims(), or use a class of Task'),
    ("randomise = {'wind.wind_speed_mean': [0, 0.4]}",
     'randomise of Outwards cannot be combined with Scene, as it would not reach scenario(seed); '
     'draw the wind in weather(), or use a class of Task')])
def test_what_would_not_reach_the_scenario_of_a_scene_is_refused(module, own, words):
    text = TASK.replace('    def reward(', f'    {own}\n\n    def reward(')
    name, plain = module(text), f'{module()}:ENTRY'
    for take in (entry_of, sbot.learn.scene):
        with pytest.raises(InputError) as caught:
            take(f'{name}:ENTRY')
        assert str(caught.value).endswith(f'task: {words}')
    scene = type(entry_of(plain).make_scene())
    methods = {}
    exec(own, methods)
    methods.pop('__builtins__')
    task = type('Outwards', (scene,), methods)()
    with pytest.raises(InputError) as caught:
        sbot.learn.env(sbot.learn.scene(plain).scenario(1), task=task)
    assert str(caught.value) == f'task: {words}'


def test_an_episode_without_wind_has_none_of_the_last_episodes(module):
    scene = sbot.learn.scene(f"{module(drawing(aims='None', weather='self.wind'))}:ENTRY")
    scene.wind = {'wind_direction': [1, 0, 0], 'wind_speed_mean': 0.3}
    envs = sbot.learn.vector_env(scene.scenario(1), 1, task=scene)
    envs.reset(seed=1)
    assert envs.episodes.worlds.wind_velocity[0].tolist() == [0.3, 0.0, 0.0]
    scene.wind = None
    envs.reset(seed=1)
    assert envs.episodes.worlds.wind_velocity[0].tolist() == [0.0, 0.0, 0.0]


def test_the_proof_refuses_observations_that_its_policies_do_not_have(module, tmp_path, capsys):
    name = module(TASK.replace(
        '    def reward(',
        '    def observation(self, now):\n        return now.inputs\n\n    def reward('))
    assert main([f'{name}:ENTRY', '-o', str(tmp_path / 'out')]) == 2
    assert capsys.readouterr().err == (
        'sbot.learn.proof: task: observation() of Outwards cannot be combined with a network that '
        'drives robots; give `inputs` by name, or compute yours from them in a function '
        '(`learned` of the Entry, docs/tasks.md)\n')
    assert not (tmp_path / 'out').exists()


def test_a_class_an_object_and_a_scene_in_the_wrong_place_are_told_apart(module):
    scene = sbot.learn.scene(f'{module()}:ENTRY')
    with pytest.raises(InputError, match=r"^task: got 'the class Outwards', expected an object; "
                       r'did you mean Outwards\(\)\?$'):
        sbot.learn.env(scene.scenario(1), task=type(scene))
    for take in (sbot.learn.env, sbot.load, sbot.run, sbot.World):
        with pytest.raises(InputError, match=r"^scenario: got 'an object of Outwards', expected a "
                           r'scenario; did you mean \.scenario\(seed\) of the object\?$'):
            take(scene)


@pytest.mark.parametrize('arena', [None, {'robots': [3]}, {'robots': [{}] * 9}])
def test_entries_of_an_arena_make_the_team(module, arena):
    name = module(TASK + f'Outwards.arena = {arena}')
    with pytest.raises(InputError, match=r'^arena of Outwards: got .*, expected values of a scen'):
        sbot.learn.scene(f'{name}:ENTRY').scenario(1)


def test_a_module_without_the_name_of_its_entry_is_named(module):
    name = module()
    with pytest.raises(InputError, match=rf"unknown name '{name}'; known: .*, module:ENTRY, "):
        sbot.learn.scene(name)
    assert name not in sys.modules, 'it was executed'


def test_no_module_beside_the_package_stands_in_for_one_of_it(module, tmp_path):
    """As with controllers: the current folder is not searched for the package's own modules."""
    (tmp_path / 'navground.py').write_text(TASK)
    with pytest.raises(InputError, match=r"^task: (cannot import|module) 'navground'"):
        entry_of('navground:ENTRY')
    assert str(tmp_path) not in sys.path


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


def test_a_scene_that_cannot_be_made_is_named_with_its_own_lines(module, tmp_path, capsys):
    name = module(TASK.replace('    def start(', '    def __init__(self, width):\n'
                               '        self.width = width\n\n    def start('))
    words = r"^Outwards\(\): TypeError: .*missing 1 required positional argument: 'width'$"
    for make in (entry_of, sbot.learn.scene):
        with pytest.raises(UserCodeError, match=words):
            make(f'{name}:ENTRY')
    assert main([f'{name}:ENTRY', '-o', str(tmp_path / 'out')]) == 1
    assert capsys.readouterr().err.endswith("positional argument: 'width'\n")


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


@pytest.mark.parametrize(('change', 'words'), [
    ({'start': f'({START})[:self.rows]'}, r'begin\(\): got .shape \(1, 3\).'),
    ({'aims': 'np.ones((self.rows, 2))'}, r'aims\(\): got .shape \(1, 2\).')])
def test_training_refuses_a_scene_that_draws_fewer_rows_later(module, change, words):
    entry = entry_of(f"{module(drawing(**change) + 'Outwards.rows = 2')}:ENTRY")
    judge = _Judge(entry, 1, 1, 1)
    entry.scene.rows = 1
    with pytest.raises(InputError, match=f'^Outwards.{words}, expected shape'):
        judge(np.zeros((1, entry.trained_policy().weight_count)), [7])


def test_training_and_comparison_have_the_same_goals_and_starts(module):
    """Lists of lists are as good as arrays."""
    entry = entry_of(f"{module(drawing('[[0.6, 1.0, 3.1], [1.4, 1, 0]]', '[[1, 1], [0, 1.5]]'))}"
                     ':ENTRY')
    tracks = []
    entry = entry._replace(metric=entry.metric._replace(
        of=lambda track: tracks.append(track) or np.zeros(1)))
    judge = _Judge(entry, 1, 1, 1)
    weights = np.zeros((1, entry.trained_policy().weight_count))
    judge(weights, [7])
    tracks.append(play(entry, [7], entry.trained_policy(), weights[0]))
    for track in tracks:
        assert track.goal.tolist() == [[[1.0, 1.0], [0.0, 1.5]]]
        assert track.pose[0].tolist() == [[[0.6, 1.0, 3.1], [1.4, 1.0, 0.0]]]


def test_each_robot_of_a_scene_has_parameters_of_its_own():
    values = entry_of('corridor').make_scene().scenario(3, 'network', {'network': 'a.json'})
    first, second, *_ = values['robots']
    first['parameters']['network'] = 'b.json'
    assert second['parameters'] == {'network': 'a.json'}
