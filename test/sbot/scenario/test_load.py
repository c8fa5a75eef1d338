"""Good scenarios: defaults, round trips, overrides, paths, groups, shipped files, docs."""

import math
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from potential_field_bot.parameters import Parameters
from sbot.controllers.registry import entry_of
from sbot.controllers.registry import shipped as shipped_controllers
from sbot.files.yaml_text import dump_yaml, parse_yaml
from sbot.scenario import shipped
from sbot.scenario.groups import SensorSettings, WindSettings, group_specs
from sbot.scenario.load import load_scenario, parse_override, parse_scenario
from sbot.scenario.model import Circle, Rectangle, RobotEntry, ScenarioFile, World
from sbot_common.clock import Rate
from sbot_common.errors import InputError
from sbot_sim.world.bodies import BODIES, body_specs


@pytest.mark.parametrize(('text', 'expected'), [
    ('a=1', ('a', 1)), ('a.b.0=[1, x]', ('a.b.0', [1, 'x'])), (' a =', ('a', None)),
    ('a=b=c', ('a', 'b=c')), ('controllers.mine:Class=', ('controllers.mine:Class', ''))])
def test_key_and_value_are_read(text, expected):
    assert parse_override(text) == expected


@pytest.mark.parametrize('text', ['a', '=1', 'a..b=1', '.a=1', 'a.=1', '.'.join('a' * 999) + '=1',
                                  'a=\udcff', 'a=[1'])
def test_what_is_no_override_is_one_line(text):
    with pytest.raises(InputError, match='--set') as raised:
        parse_override(text)
    assert len(str(raised.value).splitlines()) == 1


ROOT = Path(__file__).resolve().parents[3]
HERE = Path('/')
SMALL = """\
world: {bounds: [0, 0, 20, 10]}
robots:
  - {pose: [2, 2, 0], goal: [15, 5]}
  - {pose: [2, 5, 0]}
"""


def load_text(text, overrides=None, directory=HERE):
    return parse_scenario(text, 'text', directory, overrides=overrides)


def test_defaults_are_those_of_the_specs():
    scenario = load_text(SMALL)
    assert scenario.rate == Rate(30, 1)
    assert (scenario.duration, scenario.seed, scenario.lockstep) == (60.0, 1, True)
    assert set(scenario.bodies) == {'robot'}
    assert scenario.bodies['robot'] == BODIES['robot']
    assert scenario.controllers == {'potential_field': Parameters(loop_rate=30.0)}
    assert scenario.sensors == SensorSettings()
    assert scenario.wind == WindSettings()
    assert scenario.wind.flow.wind_speed_mean == 0
    written = yaml.safe_load(scenario.to_yaml())
    specs = entry_of('potential_field').specs
    assert written['controllers'] == {'potential_field': {s.name: s.default for s in specs}}
    for name, group in (('sensors', SensorSettings()), ('wind', WindSettings())):
        defaults = {spec.name: spec.default for spec in group_specs(group)}
        assert {key: tuple(value) if isinstance(value, list) else value
                for key, value in written[name].items()} == defaults
    assert scenario.robots[1].goal is None


@pytest.mark.parametrize(('text', 'value'), [
    ('1e3', 1000.0), ('1E-3', 0.001), ('+5', 5), ('-0', 0), ('010', 10), ('0o17', 15),
    ('0x1F', 31), ('.5', 0.5), ('5.', 5.0), ('true', True), ('False', False), ('~', None),
    ('yes', 'yes'), ('off', 'off'), ('1:30', '1:30'), ('1_000', '1_000'),
    ('2001-01-01', '2001-01-01'),
    ("'1e3'", '1e3'), ('"\\u00fc"', 'ü'), ('!!str 5', '5'), ('!!float 5', 5.0), ('=', '=')])
def test_scalars_are_those_of_yaml_1_2(text, value):
    parsed = parse_yaml(f'a: {text}', 'text')[0]['a']
    assert parsed == value
    assert type(parsed) is type(value)


plain = st.recursive(
    st.none() | st.booleans() | st.integers(-2**63 + 1, 2**63 - 1)
    | st.floats(allow_nan=False) | st.text(st.characters(exclude_categories=['Cs', 'Cc'])),
    lambda children: st.lists(children, max_size=4)
    | st.dictionaries(st.text('abc-:.1', min_size=1), children, max_size=4), max_leaves=20)


@given(st.dictionaries(st.sampled_from(['a', 'b', '1e3', 'yes', '~', '<<']), plain))
@settings(max_examples=80, deadline=None)
def test_dumped_values_read_back_equal(values):
    assert repr(parse_yaml(dump_yaml(values), 'text')[0]) == repr(values)


@given(st.data())
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_complete_text_loads_equal(data):
    number = st.floats(-1e5, 1e5)
    positive = st.floats(1e-3, 10)
    written = {
        'name': data.draw(st.from_regex(r'[A-Za-z0-9~.:]{1,9}', fullmatch=True)),
        'description': data.draw(st.text(st.characters(exclude_categories=['Cs', 'Cc']))),
        'rate': data.draw(st.sampled_from([30, 12.5, '100/3', 1e3, '1/3'])),
        'duration': data.draw(positive), 'seed': data.draw(st.integers(0, 2**63 - 1)),
        'world': {
            'bounds': [-2e5, -2e5, 2e5, 2e5],
            'circles': [{'center': [1.5e5, data.draw(number)], 'radius': data.draw(positive)}],
            'rectangles': [{'center': [-1.5e5, data.draw(number)], 'yaw': data.draw(number),
                            'size': [data.draw(positive), data.draw(positive)]}],
            'segments': [[1.2e5, data.draw(number), 1.3e5, data.draw(number)]]},
        'bodies': {'yes': {'like': 's-bot', 'mass': data.draw(positive)}},
        'controllers': {'potential_field': {'attraction_constant_gamma': data.draw(positive)}},
        'sensors': {'scan_beams': data.draw(st.integers(1, 999)), 'infrared': True},
        'wind': {'wind_direction': [data.draw(positive), 0, 0],
                 'wind_speed_mean': data.draw(positive)},
        'robots': [
            {'body': data.draw(st.sampled_from(['yes', 's-bot', 'robot'])),
             'pose': [data.draw(number), 0, data.draw(number)], 'goal': [data.draw(number), 0],
             'parameters': {'leader_filter': 'geometric'}},
            {'count': data.draw(st.integers(1, 5)), 'controller': 'none',
             'layout': data.draw(st.sampled_from(['random', 'grid'])),
             'area': [-10, 10, 10, 1000]}]}
    # PyYAML's own leaves '0E0' bare, which is a number in YAML 1.2.
    scenario = load_text(dump_yaml(written))
    text = scenario.to_yaml()
    again = load_text(text)
    assert again == scenario
    assert again.to_yaml() == text


def test_lines_of_the_complete_text_are_readable_by_yaml_1_1():
    scenario = load_text(SMALL, {'name': 'yes', 'duration': 1e-05, 'sensors.scan_noise_std': 1e-7})
    values = yaml.safe_load(scenario.to_yaml())
    assert values['name'] == 'yes'
    assert values['duration'] == 1e-05
    assert values['sensors']['scan_noise_std'] == 1e-7


def test_overrides_reach_everything():
    scenario = load_text(SMALL, {
        'seed': 9, 'duration': 2.5, 'robots.1.goal': [10, 3], 'wind.wind_speed_mean': 0.5,
        'controllers.potential_field.attraction_constant_gamma': 0.5, 'rate': '100/3',
        'robots.1.parameters.leader_filter': 'geometric'})
    assert (scenario.seed, scenario.duration, scenario.rate) == (9, 2.5, Rate(100, 3))
    assert scenario.robots[1].goal == (10.0, 3.0)
    assert scenario.wind.flow.wind_speed_mean == 0.5
    assert scenario.controllers['potential_field'].attraction_constant_gamma == 0.5
    assert scenario.robots[1].parameters == {'leader_filter': 'geometric'}


def test_a_star_stands_for_each_entry_of_a_list():
    scenario = load_text(SMALL, {'robots.*.controller': 'wind_aware', 'robots.*.goal': [10, 3],
                                 'robots.1.goal': [9, 3]})
    assert {robot.controller for robot in scenario.robots} == {'wind_aware'}
    assert [robot.goal for robot in scenario.robots[:2]] == [(10.0, 3.0), (9.0, 3.0)]
    for key, words in (('world.*.bounds', "'world' is not a list"), ('nothing.*', 'is not a list'),
                       ('robots.7.*.goal', 'an index from 0 to 1')):
        with pytest.raises(InputError, match=words):
            load_text(SMALL, {key: 1})


def test_override_of_a_key_with_dots(tmp_path):
    (tmp_path / 'own').mkdir()
    (tmp_path / 'own' / 'mine.py').write_text(
        'class Go:\n    def __init__(self, speed=1.0): self.v = speed\n'
        '    def step(self, observation, rng): return self.v, 0.0\n')
    text = SMALL.replace('goal: [15, 5]', "controller: 'own.mine:Go'")
    text += "controllers: {'own.mine:Go': {speed: 2}}\n"
    scenario = load_text(text, {'controllers.own.mine:Go.speed': 3}, tmp_path)
    assert scenario.controllers['own.mine:Go'] == {'speed': 3}
    assert scenario.python_path == (str(tmp_path),)
    assert load_text(scenario.to_yaml()) == scenario
    with pytest.raises(InputError, match=r'robots\.0\.controller.*sped'):
        load_text(text.replace('speed', 'sped'), directory=tmp_path)


def test_drawn_seed_is_recorded():
    assert len({load_text(SMALL + 'seed: null\n').seed for _ in range(4)}) > 1
    drawn = load_text(SMALL + 'seed: ~\n')
    assert load_text(drawn.to_yaml()).seed == drawn.seed


def crowd(seed, layout='random', count=45):
    return load_text(f"""\
seed: {seed}
world:
  bounds: [0, 0, 3, 3]
  circles: [{{center: [1.5, 1.5], radius: 0.4}}]
  rectangles: [{{center: [0.5, 2.5], size: [0.5, 0.3], yaw: 0.5}}]
robots:
  - {{body: s-bot, count: {count}, controller: none, layout: {layout}, area: [0, 0, 3, 1]}}
  - {{body: robot, pose: [2.5, 2.5, 0], controller: none}}
  - {{body: s-bot, count: 20, controller: none}}
""")


def test_groups_are_placed_by_the_seed_and_free():
    scenario = crowd(3)
    assert scenario == crowd(3)
    assert scenario.robots[5].pose != crowd(4).robots[5].pose
    poses = np.array([robot.pose for robot in scenario.robots])
    radius = np.array([BODIES[robot.body].safety_radius for robot in scenario.robots])
    assert len(poses) == 66
    assert scenario.robots[45].body == 'robot'
    assert scenario.robots[45].pose == (2.5, 2.5, 0.0)
    assert (np.abs(poses[:, 2]) <= math.pi).all()
    assert len(set(poses[:45, 2])) == 45
    gaps = np.hypot(*(poses[:, None, :2] - poses[None, :, :2]).T) - radius[:, None] - radius
    np.fill_diagonal(gaps, 1)
    assert gaps.min() >= -1e-9
    assert (np.hypot(*(poses[:, :2] - 1.5).T) - 0.4 - radius).min() >= -1e-9
    group = poses[:45]
    assert (group[:, 0] > 0.088).all()
    assert (group[:, 1] < 1 - 0.0879).all()


def test_grid_group_has_even_rows():
    poses = [robot.pose for robot in crowd(3, 'grid', 27).robots[:27]]
    assert sorted({pose[1] for pose in poses}) == pytest.approx([1 / 6, 0.5, 5 / 6])
    assert len({pose[0] for pose in poses}) == 9
    assert {pose[2] for pose in poses} == {0.0}


def test_body_of_the_file():
    scenario = load_text("""\
world: {bounds: [0, 0, 20, 10]}
bodies: {s-bot: {mass: 2}, big: {radius: 0.5}, same: {like: s-bot}}
robots:
  - {body: s-bot, pose: [2, 2, 0], controller: none}
  - {body: big, pose: [5, 2, 0], controller: none}
  - {body: same, pose: [9, 2, 0], controller: none}
""")
    assert scenario.bodies['s-bot'].mass == 2
    assert scenario.bodies['s-bot'].radius == BODIES['s-bot'].radius
    assert scenario.bodies['big'].radius == 0.5
    assert scenario.bodies['big'].mass == BODIES['robot'].mass
    assert scenario.bodies['same'] == scenario.bodies['s-bot']._replace(name='same')


def test_files_are_found_and_stay_loadable_when_moved(tmp_path):
    field = tmp_path / 'a' / 'field.txt'
    field.parent.mkdir()
    field.write_text('')
    text = SMALL + 'wind: {custom_wind_field_path: field.txt}\n'
    scenario = load_text(text, directory=field.parent)
    assert scenario.wind.flow.custom_wind_field_path == str(field)
    moved = tmp_path / 'b'
    field.parent.rename(moved)
    again = load_text(scenario.to_yaml(), directory=moved)
    assert again.wind.flow.custom_wind_field_path == str(moved / 'field.txt')


def test_groups_are_placed_in_the_free_part_of_a_map(tmp_path):
    """A room of 10 m x 5 m; its right half is a solid block."""
    rows = '\n'.join(' '.join(['254'] * 10 + ['0'] * 10) for _ in range(10))
    (tmp_path / 'room.pgm').write_text(f'P2\n20 10\n255\n{rows}\n')
    (tmp_path / 'room.yaml').write_text(
        'image: room.pgm\nresolution: 0.5\norigin: [0, 0, 0]\nnegate: 0\n'
        'occupied_thresh: 0.65\nfree_thresh: 0.2\n')
    text = ('world: {map: room.yaml}\nrobots:\n  - {pose: [2, 2, 0], goal: [1, 1]}\n'
            '  - {count: 8, controller: none}\n')
    scenario = load_text(text, directory=tmp_path)
    assert (np.array([robot.pose for robot in scenario.robots])[:, 0] <= 4.7).all()
    assert load_text(scenario.to_yaml()) == scenario
    for pose in ('[8, 2, 0]', '[4.9, 2, 0]'):
        with pytest.raises(InputError, match=r'robots\.0\.pose.*world\.map'):
            load_text(text.replace('[2, 2, 0]', pose), directory=tmp_path)


@pytest.mark.parametrize('name', shipped.scenario_names())
def test_shipped_scenario_loads_and_its_complete_text_too(name):
    scenario = load_scenario(name)
    assert scenario.name == name
    assert scenario.description
    text = scenario.to_yaml()
    assert load_text(text) == scenario
    assert str(ROOT) not in text


@pytest.mark.parametrize('layout', ['prefix', 'target', 'ament'])
def test_shipped_files_of_an_installation(layout, tmp_path):
    """The package is copied to where pip and colcon put it; the checkout must not be in reach."""
    modules = tmp_path / ('lib/python3/site-packages' if layout != 'target' else '.')
    for package in ('sbot', 'sbot_common'):
        shutil.copytree(ROOT / package, modules / package)
    prefix = tmp_path / 'elsewhere' if layout == 'ament' else tmp_path
    config = prefix / 'share' / 'potential_field_bot' / 'config'
    (config / 'scenarios').mkdir(parents=True)
    (config / 'scenarios' / 'only.yaml').write_text('')
    environment = {**os.environ, 'PYTHONPATH': str(modules), 'AMENT_PREFIX_PATH': str(prefix)}
    if layout != 'ament':
        del environment['AMENT_PREFIX_PATH']
    code = 'from sbot.scenario import shipped; print(shipped.find_scenario("only"))'
    done = subprocess.run([sys.executable, '-c', code], env=environment, cwd=tmp_path,
                          capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(config / 'scenarios' / 'only.yaml')


def documented_keys():
    yield from (spec.name for spec in body_specs())
    for model in (ScenarioFile, World, Circle, Rectangle, RobotEntry):
        yield from model.__dataclass_fields__
    for specs in (*(entry.specs for entry in shipped_controllers()), group_specs(SensorSettings()),
                  group_specs(WindSettings())):
        yield from (spec.name for spec in specs)


def test_every_key_is_documented():
    page = (ROOT / 'docs' / 'scenario.md').read_text('utf-8')
    assert not {key for key in documented_keys() if f'`{key}`' not in page}


def test_examples_in_the_documentation_load():
    page = (ROOT / 'docs' / 'scenario.md').read_text('utf-8')
    blocks = re.findall(r'```yaml\n(.*?)```', page, re.DOTALL)
    assert len(load_text(blocks[0]).robots) == 2
    assert len(load_text('world: {bounds: [0, 0, 9, 9]}\n' + blocks[1]).robots) == 51
    assert load_text(SMALL + blocks[2])
