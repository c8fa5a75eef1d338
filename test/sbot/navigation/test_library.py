"""The library: every scene is a scenario, and the same one on every machine."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from sbot.navigation.library import (
    SHIPPED,
    VERSION,
    chosen_scenes,
    digest,
    families,
    hidden_seeds,
    scenario_values,
)
from sbot.navigation.metrics import _facts
from sbot.scenario.load import scenario_from_mapping
from sbot_common.errors import InputError

CYLINDER = """<model name='{name}'><static>1</static>
<pose frame=''>{x} {y} 0 0 0 0</pose><link name='link'><collision name='collision'><geometry>
<cylinder><radius>{radius}</radius><length>1</length></cylinder></geometry></collision></link>
</model>"""
GROUND = """<model name='ground_plane'><link name='link'><collision name='collision'><geometry>
<plane><size>100 100</size></plane></geometry></collision></link></model>"""
FRAME = """key = anim->CreateKeyFrame({:.2f});
        key->Translation(ignition::math::Vector3d({:.2f}, {:.2f}, 0));"""


def world(*models):
    return "<sdf version='1.6'><world name='default'>" + ''.join(models) + '</world></sdf>'


def test_a_world_of_barn_is_discs_with_its_start_goal_and_optimal_way(tmp_path):
    (tmp_path / 'world_7.world').write_text(world(
        GROUND, CYLINDER.format(name='a', x=-1.0, y=6.0, radius=0.075),
        CYLINDER.format(name='b', x=-3.5, y=8.0, radius=0.075)))
    (tmp_path / 'path_files').mkdir()
    np.save(tmp_path / 'path_files' / 'path_7.npy', np.array([[15, 0], [15, 20]]))
    scene = families(barn=tmp_path)['barn']['7']
    scenario = scenario_from_mapping(scenario_values('barn/7', scene, 0))
    assert [(each.center, each.radius) for each in scenario.world.circles] == [
        ((-1.0, 6.0), 0.075), ((-3.5, 8.0), 0.075)]
    assert scenario.robots[0].pose == (-2.25, 3.0, 1.57)
    assert scenario.robots[0].goal == (-2.25, 13.0)
    # Cells of 0.15 m: (15, 0) is at (-2.325, 5.075), (15, 20) at (-2.325, 8.075).
    expected = np.hypot(0.075, 2.075) + 3.0 + np.hypot(0.075, 13.0 - 8.075)
    assert _facts(scenario.description)['optimal'] == pytest.approx(expected, abs=1e-4)
    body = scenario.bodies['jackal']
    assert body.max_wheel_speed * body.wheel_radius == pytest.approx(2.0)


def test_cylinders_of_dynabarn_go_where_their_plugins_say(tmp_path):
    # As theirs: an attribute without a value, and a backslash.
    wall = '<model name="w"><static>1</static>\\ <pose frame=>-10 0 .5 0 0 0</pose></model>'
    (tmp_path / 'world_0.world').write_text(world(
        CYLINDER.format(name='obs_1', x=0, y=0, radius=0.5), wall))
    (tmp_path / 'plugins').mkdir()
    source = tmp_path / 'plugins' / 'obs_1.cc'
    source.write_text('\n'.join(FRAME.format(*frame) for frame in (
        (0.0, 1.0, 2.0), (2.0, 4.0, 6.0), (6.0, 4.0, -1.0))))
    scene = families(dynabarn=tmp_path)['dynabarn']['0']
    obstacle, = scenario_from_mapping(scenario_values('dynabarn/0', scene, 0)).world.moving
    assert obstacle.path == ((1.0, 2.0), (4.0, 6.0), (4.0, -1.0))
    assert obstacle.speed == pytest.approx((5.0 + 7.0) / 6.0)
    source.unlink()
    with pytest.raises(InputError, match=r'model obs_1 needs its source obs_1\.cc'):
        scenario_values('dynabarn/0', families(dynabarn=tmp_path)['dynabarn']['0'], 0)


def test_a_folder_without_worlds_is_an_error(tmp_path):
    with pytest.raises(InputError, match=r'--barn: got .*, expected a folder with files world_N'):
        families(barn=tmp_path)['barn']
    (tmp_path / 'world_1.world').write_text('no XML')
    with pytest.raises(InputError, match=r'world_1\.world:1: not well-formed XML'):
        scenario_values('barn/1', families(barn=tmp_path)['barn']['1'], 0)


@pytest.mark.parametrize(('change', 'expected'), [
    (('-1.0 6.0 0', 'x y 0'), "model a: pose: got 'x', expected a number"),
    (('-1.0 6.0 0 0 0 0', '1'), "model a: pose: got '1', expected x and y"),
    (('-1.0', 'nan'), "model a: pose: got 'nan', expected a number"),
    (('0.075', '1e999'), "model a: radius: got '1e999', expected a number"),
    (('<sdf', '<!DOCTYPE x [<!ENTITY e "e">]><sdf'), 'document type or entities is refused')])
def test_what_is_wrong_in_a_world_is_one_line(tmp_path, change, expected):
    text = world(CYLINDER.format(name='a', x=-1.0, y=6.0, radius=0.075))
    assert change[0] in text
    (tmp_path / 'world_1.world').write_text(text.replace(*change))
    with pytest.raises(InputError, match=rf'world_1\.world: .*{expected}'):
        scenario_values('barn/1', families(barn=tmp_path)['barn']['1'], 0)


def test_large_worlds_are_refused(tmp_path, monkeypatch):
    (tmp_path / 'world_1.world').write_text(world())
    monkeypatch.setenv('SBOT_LIMITS', 'file_bytes=20')
    with pytest.raises(InputError, match=r'world_1\.world: too large'):
        scenario_values('barn/1', families(barn=tmp_path)['barn']['1'], 0)


def header(shape):
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}".ljust(117) + '\n'
    return b'\x93NUMPY\x01\x00' + len(text).to_bytes(2, 'little') + text.encode()


@pytest.mark.parametrize('raw', [b'', b'text', header((10**15, 2)), header((1, 2)) + b'\xff' * 16,
                                 header((3,)) + b'\0' * 24])
def test_what_is_no_path_of_barn_is_one_line(tmp_path, raw):
    (tmp_path / 'world_1.world').write_text(world())
    (tmp_path / 'path_files').mkdir()
    (tmp_path / 'path_files' / 'path_1.npy').write_bytes(raw)
    with pytest.raises(InputError, match=r'path_1\.npy: .*expected'):
        families(barn=tmp_path)['barn']


@pytest.mark.parametrize(('text', 'expected'), [
    ('CreateKeyFrame(1-2) Vector3d(1,2,0)', r"a\.cc:1: key frame: got '1-2', expected a number"),
    ('\nCreateKeyFrame(1) Vector3d(1,2-,0)', r"a\.cc:2: key frame: got '2-', expected a number"),
    ('CreateKeyFrame(1) ' * 30_000, r'a\.cc: got 0 places'),  # quadratic would take minutes
    ('CreateKeyFrame(' + ' ' * 200_000, r'a\.cc: got 0 places'),
])
def test_what_is_wrong_in_a_plugin_is_one_line(tmp_path, text, expected):
    (tmp_path / 'world_1.world').write_text(world(CYLINDER.format(name='a', x=0, y=0, radius=0.5)))
    (tmp_path / 'a.cc').write_text(text)
    with pytest.raises(InputError, match=expected):
        scenario_values('dynabarn/1', families(dynabarn=tmp_path)['dynabarn']['1'], 0)


SCENES = chosen_scenes(SHIPPED, [])
KEPT = Path(__file__).with_name(f'library_{VERSION}.json')


def test_no_scene_has_changed_since_its_version():
    # A scene that changes on purpose needs another VERSION and file: rows of both differ.
    found = {name: [digest(scenario_values(name, scene, seed)) for seed in (0, 1)]
             for name, scene in SCENES.items()}
    if os.environ.get('SBOT_REFRESH') and not KEPT.exists():
        KEPT.write_text(json.dumps(found, indent=1) + '\n')
    assert found == json.loads(KEPT.read_text())


@pytest.mark.parametrize('name', SCENES)
def test_every_scene_is_a_scenario_in_which_all_can_stand(name):
    for seed in (0, 2**63 - 1):
        scenario = scenario_from_mapping(scenario_values(name, SCENES[name], seed))
        assert scenario.name == name
        assert any(robot.goal is not None for robot in scenario.robots)
        assert _facts(scenario.description).get('gap') == SCENES[name].gap


def test_scenes_are_chosen_by_family_and_name():
    assert list(chosen_scenes(SHIPPED, ['doorway/1.2', 'hallway'])) == ['doorway/1.2',
                                                                       'hallway/pair']
    with pytest.raises(InputError, match=r"scene: unknown name 'dorway'.*doorway"):
        chosen_scenes(SHIPPED, ['dorway'])
    with pytest.raises(InputError, match=r'scene barn/3 needs a copy of its files; do --barn'):
        chosen_scenes(SHIPPED, ['barn/3'])


def test_hidden_seeds_follow_from_the_secret_and_the_scene():
    seeds = hidden_seeds(b'a secret', 'doorway/1.2', 3)
    assert seeds == hidden_seeds(b'a secret', 'doorway/1.2', 5)[:3]
    assert len({*seeds, *hidden_seeds(b'a secret', 'hallway/pair', 3),
                *hidden_seeds(b'another', 'doorway/1.2', 3)}) == 9
    assert all(0 <= seed < 2**63 for seed in seeds)


def test_families_of_others_are_there_only_with_their_files():
    assert 'barn' not in families()
