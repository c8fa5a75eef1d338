"""Registry of sensors: those of this package's modules, of other packages, and former names."""

import sys

import numpy as np
import pytest
from every_sensor import GROUP, RECIPE, recipe, shipped_names
from installed_package import installed_package
from views import view

import sbot
from sbot.scenario import assemble
from sbot.testing import _SCENE as SCENE
from sbot_common.errors import InputError
from sbot_sim import sensors as folder
from sbot_sim.engine.simulation import world_of
from sbot_sim.sensors.registry import check_name, sensors


@pytest.mark.parametrize('draw', ['normals', 'uniforms'])
def test_a_view_draws_numbers_of_world_robot_and_tick(draw):
    together = getattr(view(3)._replace(seed=np.array([1, 2]), tick=np.array([5, 9])), draw)(4, 2)
    alone = [getattr(view(3, seed=seed, tick=tick), draw)(4, 2) for seed, tick in ((1, 5), (2, 9))]
    np.testing.assert_array_equal(together, np.vstack(alone))
    assert len(np.unique(together)) == 12


@pytest.fixture
def beside(tmp_path, monkeypatch):
    """The file of CONTRIBUTING's recipe, as if it stood beside the others."""
    (tmp_path / f'{RECIPE}.py').write_text(recipe())
    monkeypatch.setattr(folder, '__path__', [*folder.__path__, str(tmp_path)])
    sensors.cache_clear()
    yield
    sensors.cache_clear()
    sys.modules.pop(f'{folder.__name__}.{RECIPE}', None)


def test_the_recipe_is_one_file_and_its_test(beside):
    assert sorted(sensors()) == sorted([*shipped_names(), RECIPE])
    run = sbot.run({**SCENE, 'duration': 0.5, 'sensors': {'compass': True}}, sense=[RECIPE])
    yaw = run.poses[..., 2]
    np.testing.assert_allclose(run.compass, 2e-5 * np.stack([np.sin(yaw), np.cos(yaw)], axis=-1),
                               atol=1e-18)
    noisy = sbot.run({**SCENE, 'duration': 0.5, 'sensors': {
        'compass': True, 'compass_noise': 1e-6}}, sense=[RECIPE])
    assert 5e-7 < np.std(noisy.compass - run.compass) < 2e-6
    np.testing.assert_array_equal(noisy.poses, run.poses)


@pytest.mark.parametrize(('target', 'words'), [
    ('nowhere_at_all:SENSOR', 'ModuleNotFoundError'),
    ('math:pi', 'needs a Sensor of this name'),
    ('sbot_sim.sensors.imu:SENSOR', 'needs a Sensor of this name')])
def test_a_broken_one_of_another_package_is_left_out(target, words, tmp_path, caplog):
    points = {'sonar': target, 'imu': 'math:pi'}  # a shipped name cannot be taken
    with installed_package(tmp_path, 'broken', GROUP, points, sensors):
        assert sorted(sensors()) == sorted(shipped_names())
        assert len(caplog.records) == 1
        assert f"sensor 'sonar' ({target}) is left out: " in caplog.text
        assert words in caplog.text


@pytest.mark.parametrize(('name', 'words'), [
    ('scans', "sense: got 'scans', expected 'scan'"),
    ('range_and_bearing', "expected 'neighbours'"), ('smell', 'expected any of twist, scan'),
    (3, 'sense: got 3'), (None, 'sense: got None')])
def test_other_names_are_refused_and_former_ones_say_what_they_are_now(name, words):
    with pytest.raises(InputError, match=words):
        check_name('sense', name)
    check_name('sense', 'scan')

S_BOTS = {'world': {'bounds': [0, 0, 4, 4]}, 'duration': 1.0, 'rate': 10,
          'robots': [{'body': 's-bot', 'pose': [1.0, 1.0, 0.3], 'controller': 'none'},
                     {'body': 's-bot', 'pose': [1.2, 1.0, 0.0], 'controller': 'none'}]}


def world(**settings):
    parameters = assemble.simulation_parameters(sbot.load({**S_BOTS, 'sensors': settings}))
    return parameters, world_of(parameters)
