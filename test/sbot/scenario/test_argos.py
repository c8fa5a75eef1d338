"""Wind of an ARGoS experiment: centimetres and degrees, and the shape of wakes."""

import math
from pathlib import Path

import numpy as np
import pytest
import yaml

from sbot.files.yaml_text import dump_yaml
from sbot.runner.loop import run_scenario
from sbot.scenario.argos import argos_scenario
from sbot.scenario.load import load_scenario
from sbot_common.errors import InputError

EXAMPLE = Path(__file__).parents[3] / 'config' / 'scenarios' / 'wind_blocking.argos'

CONTROLLERS = """
  <controllers>
    <air_resistance_controller id="base" library="x"><params velocity="5"/>
    </air_resistance_controller>
    <my_controller id="aware" library="build/libwind_aware_controller.so"/>
    <other id="other" library="libother"/>
  </controllers>"""
WIND = '<air_resistance angle_deg="270" magnitude="5"/>'
NORTH = """<e-puck2 id="a"><body position="0,0,0" orientation="90,0,0"/>
           <controller config="base"/></e-puck2>"""
EAST = """<e-puck2 id="b"><body position="1,0,0" orientation="0,0,0"/>
          <controller config="base"/></e-puck2>"""
FRAMEWORK = ('<framework><experiment length="10.1" ticks_per_second="10" random_seed="3"/>'
             '</framework>')


def argos(arena=NORTH + EAST, wind=f'<configuration>{WIND}</configuration>', framework=FRAMEWORK,
          controllers=CONTROLLERS, more='', size='8,6,1'):
    return (f'<argos-configuration>{framework}{controllers}{wind}\n<arena size="{size}">{arena}'
            f'</arena>{more}</argos-configuration>')


def convert(text, overrides=None):
    raw = text if isinstance(text, bytes) else text.encode()
    return yaml.safe_load(dump_yaml(argos_scenario(raw, 'x.argos', overrides or {})[0]))


def load(tmp_path, text, overrides=None):
    path = tmp_path / 'experiment.argos'
    path.write_text(text)
    return load_scenario(str(path), overrides)


def test_units_and_names():
    values = convert(argos())
    assert values['rate'] == 10
    assert values['duration'] == 10.1
    assert values['seed'] == 3
    assert values['world']['bounds'] == [-4, -3, 4, 3]
    assert values['wind']['wind_speed_mean'] == pytest.approx(0.05)
    assert values['wind']['wind_direction'] == pytest.approx([0, -1, 0], abs=1e-15)
    assert values['wind']['wake'] is True
    first = values['robots'][0]
    assert first['body'] == 'e-puck2'
    assert first['pose'] == pytest.approx([0, 0, math.pi / 2])
    assert first['parameters'] == {'velocity': 0.05}
    assert first['controller'] == 'wind_model.wind_aware:AirResistance'
    assert values['bodies']['e-puck2']['drive'] == 'impulse'
    assert values['sensors'] == {'range_and_bearing': True, 'rab_range': 0.8,
                                 'rab_blocked_by_walls': True}


def test_against_the_wind_stays_and_across_it_drifts_diagonally(tmp_path):
    # Document 000: 5 cm/s in a wind of 5 cm/s southwards. Nothing moves in tick 0.
    result = run_scenario(load(tmp_path, argos(), {'sensors.scan_beams': 1}))
    moved = result.poses[-1] - result.poses[0]
    assert len(result.poses) == 102
    assert np.abs(moved[0, :2]).max() < 1e-9
    assert np.abs(moved[1, :2] - [0.5, -0.5]).max() < 1e-9


def test_the_shipped_example_runs_and_names_its_reading_of_wakes(caplog):
    scenario = load_scenario(str(EXAMPLE), {'sensors.scan_beams': 1})
    wakes, heading = caplog.messages
    assert 'they fade out, and the boost is an exponent' in wakes
    assert 'along the difference of track and wind' in heading
    result = run_scenario(scenario)
    blocker, follower, northbound = (result.poses[:, i] for i in range(3))
    # Unsheltered, the blocker drives 10 cm/s against 15; its follower feels much less.
    assert result.wind[0, 0, 0] == pytest.approx(0.15)
    assert result.wind[0, 1, 0] < 0.08
    assert blocker[5, 0] > blocker[0, 0]
    assert follower[5, 0] < follower[0, 0]
    # Driving 20 cm/s north in 15 cm/s east, the foot-bot heads along (0, 1) - (0.75, 0).
    late = (northbound[-1] - northbound[-51]) / 5.0
    assert late[:2] == pytest.approx([0.2 * -0.6 + 0.15, 0.2 * 0.8], abs=1e-9)
    assert result.summary['overlaps'] == 0


def test_the_wind_across_is_cancelled_by_our_law(caplog):
    scenario = load_scenario(str(EXAMPLE), {'sensors.scan_beams': 1,
                                            'controllers.wind_aware.law': 'cancel'})
    assert not any('track' in message for message in caplog.messages)
    northbound = run_scenario(scenario).poses[:, 2]
    late = (northbound[-1] - northbound[-51]) / 5.0
    assert late[:2] == pytest.approx([0, math.sqrt(0.2 ** 2 - 0.15 ** 2)], abs=1e-9)


CRAB = """<foot-bot id="base"><body position="0.80,-0.30,0" orientation="180,0,0"/>
          <controller config="slow"/></foot-bot>
          <foot-bot id="aware"><body position="0.80,0.30,0" orientation="180,0,0"/>
          <controller config="aware"/></foot-bot>"""


@pytest.mark.parametrize(('overrides', 'x'), [
    ({}, 0.168), ({'controllers.wind_aware.law': 'cancel'}, 0.695)])
def test_the_published_experiment_of_crab_headings(tmp_path, overrides, x):
    """wind_crab_footbot.argos: x of the aware robot after 10 s, by their law and by ours."""
    framework = FRAMEWORK.replace('ticks_per_second="10"', 'ticks_per_second="15"').replace(
        '10.1', '10')
    controllers = CONTROLLERS.replace('id="base"', 'id="slow"').replace('velocity="5"',
                                                                         'velocity="10"')
    text = argos(CRAB, f'<configuration>{WIND}</configuration>'.replace('270', '90').replace(
        'magnitude="5"', 'magnitude="15"'), framework, controllers, size='3,2,1')
    result = run_scenario(load(tmp_path, text, {'sensors.scan_beams': 1, **overrides}))
    assert result.poses[-1, 1, 0] == pytest.approx(x, abs=5e-4)
    assert result.poses[-1, 0, 0] == pytest.approx(-0.193, abs=5e-4)


def test_the_four_keys_of_wakes_are_read(caplog):
    wind = WIND.replace('/>', ' lateral_reach_radii="2" shadow_length_radii="5" '
                              'gamma_boost="1.5" upwind_gate_radii="0"/>')
    values = convert(argos(wind=wind))['wind']
    assert (values['lateral_reach_radii'], values['shadow_length_radii'], values['gamma_boost'],
            values['upwind_gate_radii']) == (2, 5, 1.5, 0)
    assert 'not supported' not in caplog.text


def test_what_is_wrong_cites_the_lines_of_the_experiment(tmp_path):
    arena = '\n' + NORTH + '\n' + EAST.replace('1,0,0', '1e7,0,0')
    line = argos(arena).partition('id="b"')[0].count('\n') + 1
    with pytest.raises(InputError, match=rf'experiment\.argos:{line}: robots\.1\.pose: got '):
        load(tmp_path, argos(arena))


def test_obstacles_and_bodies(tmp_path):
    arena = NORTH + """
      <foot-bot id="c" rab_range="0.8"><body position="-1,-1,0" orientation="180,0,0"/>
        <controller config="aware"/></foot-bot>
      <box id="w" size="1,0.2,0.5" movable="false">
        <body position="2,2,0" orientation="90,0,0"/></box>
      <cylinder id="d" radius="0.3" height="1"><body position="-2,2,0"/></cylinder>"""
    scenario = load(tmp_path, argos(arena))
    assert scenario.world.rectangles[0].yaw == pytest.approx(math.pi / 2)
    assert scenario.world.rectangles[0].size == (1.0, 0.2)
    assert scenario.world.circles[0].radius == 0.3
    assert scenario.robots[1].body == 'foot-bot'
    assert scenario.robots[1].controller == 'wind_aware'
    assert scenario.robots[1].parameters['velocity'] == 0.1
    assert scenario.robots[1].parameters['direction'] == pytest.approx(math.pi)


def test_what_is_not_supported_is_named(caplog):
    arena = NORTH.replace('"base"', '"other"') + EAST + """
      <light id="l" position="0,0,0"/>"""
    more = """<physics_engines><dynamics3d id="p"/></physics_engines>
      <media><led id="leds"/></media><visualization><qt-opengl/></visualization>
      <loop_functions library="libforaging"/><extra/>"""
    framework = FRAMEWORK.replace('random_seed="3"', 'random_seed="0" visual="1"')
    values = convert(argos(arena, more=more, framework=framework))
    assert values['robots'][0]['controller'] == 'none'
    assert values['seed'] is None
    *messages, reading = caplog.messages
    assert 'published' in reading
    text = '\n'.join(messages)
    for tag in ('<other>', '<light>', '<dynamics3d>', '<led>', '<loop_functions>',
                '<extra>', "'visual'"):
        assert tag in text
    assert len(messages) == 7
    assert all(message.startswith('x.argos:') for message in messages)


def test_the_wind_can_be_overridden(tmp_path, caplog):
    scenario = load(tmp_path, argos(), {'wind.wind_speed_mean': 0.2, 'wind.wake_fade': 'ramp_in',
                                        'wind.wind_direction': [1, 0, 0]})
    assert scenario.wind.flow.wind_speed_mean == 0.2
    assert scenario.wind.flow.wind_direction == (1, 0, 0)
    assert scenario.wind.wakes.wake_fade == 0
    assert 'published' not in caplog.text  # the user knows that there are readings


def test_three_in_a_row_are_sheltered_as_the_published_code_computes(tmp_path):
    """Behind the first, at twice its wake's length each, less and less: 0, r, r of the nearest."""
    robots = ''.join(f"""<e-puck2 id="r{i}"><body position="{x},0,0" orientation="0,0,0"/>
        <controller config="base"/></e-puck2>""" for i, x in enumerate((-0.12, 0.0, 0.12)))
    wind = WIND.replace('270', '0')
    result = run_scenario(load(tmp_path, argos(robots, wind), {'sensors.scan_beams': 1}))
    radius = 0.035
    t = (0.12 - 0.5 * radius) / (4 * radius)
    fade = 1 - (3 * t**2 - 2 * t**3)
    expected = 1 - (1 - fade)**2  # the far one of two is beyond its wake
    assert 0.3 < expected < 0.35
    reductions = 1 - result.wind[0, :, 0] / result.free_wind[0, :, 0]
    assert reductions == pytest.approx([0, expected, expected], abs=1e-6)


def test_headings_are_distributed_as_in_argos(tmp_path):
    group = """<distribute><position method="uniform" min="-3,-2,0" max="3,2,0"/>
      <orientation {}/><entity quantity="60" max_trials="100"><e-puck2 id="e">
      <controller config="base"/></e-puck2></entity></distribute>"""

    def yaws(orientation):
        scenario = load(tmp_path, argos(group.format(orientation)))
        return np.degrees([robot.pose[2] for robot in scenario.robots])

    uniform = yaws('method="uniform" min="30,0,0" max="60,0,0"')
    assert 30 <= uniform.min() < 35
    assert 55 < uniform.max() < 60
    gaussian = yaws('method="gaussian" mean="90,0,0" std_dev="10,0,0"')
    assert gaussian.mean() == pytest.approx(90, abs=4)
    assert gaussian.std() == pytest.approx(10, abs=3)
    assert (yaws('method="constant" values="45,0,0"') == pytest.approx(45))


def test_positions_are_distributed_as_in_argos(tmp_path):
    group = """<distribute><position {}/>
      <orientation method="uniform" min="0,0,0" max="90,0,0"/>
      <entity quantity="{}" max_trials="100"><e-puck2 id="e"><controller config="base"/></e-puck2>
      </entity></distribute>"""

    def poses(position, quantity):
        scenario = load(tmp_path, argos(group.format(position, quantity)))
        return np.array([robot.pose for robot in scenario.robots])

    for many in ('100001', '1e17'):
        with pytest.raises(InputError, match=r'quantity: got .*, expected at most 100000'):
            poses('method="constant" values="1,2,0"', many)
    cloud = poses('method="gaussian" mean="1,0,0" std_dev="1,0.5,0"', 60)
    assert cloud[:, :2].mean(axis=0) == pytest.approx([1, 0], abs=0.4)
    assert cloud[:, :2].std(axis=0) == pytest.approx([1, 0.5], abs=0.3)
    grid = poses('method="grid" center="1,0,0" distances="0.5,1,0" layout="3,2,1"', 6)
    assert grid[0, :2].tolist() == [0.5, -0.5]
    assert len({*grid[:, 2]}) == 6
    assert ((grid[:, 2] >= 0) & (grid[:, 2] < math.pi / 2)).all()
    assert poses('method="constant" values="1,2,0"', 1)[0, :2].tolist() == [1, 2]


LAUGHS = """<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "b"><!ENTITY c "&b;&b;">]><a>&c;</a>"""
OUTSIDE = """<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/hosts">]><a/>"""

BAD = {
    'not XML': ('robots: []', 'not well-formed'),
    'binary': (bytes(range(256)), 'x.argos'), 'too deep': ('<a>' * 999, 'levels deep'),
    'entities': (LAUGHS, 'refused'),
    'external entities': (OUTSIDE, 'refused'),
    'another XML': ('<html><body/></html>', '<arena> is missing'),
    'no experiment': (argos(framework=''), '<experiment> in <framework> is missing'),
    'no robots': (argos(arena=''), 'needs robots'),
    'two winds': (argos(more=WIND), 'the wind is given twice'),
    'a word as magnitude': (argos(wind=WIND.replace('"5"', '"strong"')), "got 'strong'"),
    'a negative magnitude': (argos(wind=WIND.replace('"5"', '"-5"')), 'magnitude'),
    'no magnitude': (argos(wind=WIND.replace('magnitude="5"', '')), "'magnitude' is missing"),
    'no angle': (argos(wind=WIND.replace('angle_deg="270"', '')), "'angle_deg' is missing"),
    'a negative width': (argos(wind=WIND.replace('/>', ' lateral_reach_radii="-1"/>')),
                         'lateral_reach_radii'),
    'two of one id': (argos(NORTH + EAST.replace('"b"', '"a"')),
                      "id 'a' is given twice, first on line 8"),
    'two distributed of one id': (argos(NORTH.replace('"a"', '"e3"') + """
        <distribute><position method="uniform" min="1,1,0" max="2,2,0"/><orientation
        method="constant" values="0,0,0"/><entity quantity="4" base_num="0"><e-puck2 id="e">
        <controller config="base"/></e-puck2></entity></distribute>"""), "id 'e3' is given twice"),
    'two numbers': (argos(NORTH.replace('"0,0,0"', '"0,0"')), '3 finite numbers'),
    'no body': (argos('<e-puck2 id="a"/>'), '<body> is missing'),
    'unknown controller': (argos(NORTH.replace('"base"', '"bse"')), "did you mean 'base'"),
    'controller twice': (argos(controllers=CONTROLLERS.replace('id="other"', 'id="base"')),
                         "id 'base' is given twice"),
    'negative velocity': (argos(controllers=CONTROLLERS.replace('"5"', '"-5"')), 'velocity'),
    'rate zero': (argos(framework=FRAMEWORK.replace('"10"', '"0"')), 'ticks_per_second'),
    'movable perhaps': (argos(NORTH + '<box size="1,1,1" movable="perhaps"/>'), 'true or false'),
    'two at one place': (argos("""<distribute><position method="constant" values="0,0,0"/>
                               <orientation method="constant" values="0,0,0"/>
                               <entity quantity="2"><foot-bot><controller config="base"/>
                               </foot-bot></entity></distribute>"""),
                         'constant cannot be combined with quantity 2'),
    'another method': (argos("""<distribute><position method="poisson"/><orientation
                             method="constant" values="0,0,0"/><entity quantity="2"><foot-bot>
                             <controller config="base"/></foot-bot></entity></distribute>"""),
                       'expected uniform, gaussian'),
}


@pytest.mark.parametrize('name', BAD)
def test_bad_files_are_one_clear_line(name):
    text, words = BAD[name]
    with pytest.raises(InputError) as info:
        convert(text)
    message = str(info.value)
    assert words in message
    assert message.startswith('x.argos')
    assert '\n' not in message
