"""Registry of sensors: those of this package's modules, of other packages, and former names."""

import sys

import numpy as np
import pytest
from every_sensor import GROUP, RECIPE, SCENE, recipe, shipped_names

import sbot
from sbot_common.errors import InputError
from sbot_sim.sensors import kinds
from sbot_sim.sensors.registry import check_name, codecs, sensors


@pytest.fixture
def beside(tmp_path, monkeypatch):
    """The file of CONTRIBUTING's recipe, as if it stood beside the others."""
    (tmp_path / f'{RECIPE}.py').write_text(recipe())
    monkeypatch.setattr(kinds, '__path__', [*kinds.__path__, str(tmp_path)])
    sensors.cache_clear()
    yield
    sensors.cache_clear()
    sys.modules.pop(f'{kinds.__name__}.{RECIPE}', None)


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


def test_without_its_file_its_keys_are_unknown():
    assert sorted(sensors()) == sorted(shipped_names())
    with pytest.raises(InputError, match="'compass'"):
        sbot.load({**SCENE, 'sensors': {'compass': True}})


def test_they_are_in_the_order_of_their_messages():
    assert list(sensors()) == ['twist', 'scan', 'odometry', 'imu', 'gnss', 'infrared',
                               'neighbours', 'wind']
    assert codecs()['scan'][0].name == 'base_scan'


@pytest.mark.parametrize(('target', 'words'), [
    ('nowhere_at_all:SENSOR', 'ModuleNotFoundError'),
    ('math:pi', 'needs a Sensor of this name'),
    ('sbot_sim.sensors.kinds.imu:SENSOR', 'needs a Sensor of this name')])
def test_a_broken_one_of_another_package_is_left_out(target, words, tmp_path, monkeypatch, caplog):
    package = tmp_path / 'broken-1.0.dist-info'
    package.mkdir()
    (package / 'METADATA').write_text('Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n')
    (package / 'entry_points.txt').write_text(
        f'[{GROUP}]\nsonar = {target}\nimu = math:pi\n')  # a shipped name cannot be taken
    monkeypatch.syspath_prepend(tmp_path)
    sensors.cache_clear()
    try:
        assert sorted(sensors()) == sorted(shipped_names())
        assert len(caplog.records) == 1
        assert f"sensor 'sonar' ({target}) is left out: " in caplog.text
        assert words in caplog.text
    finally:
        sensors.cache_clear()


@pytest.mark.parametrize(('name', 'words'), [
    ('scans', "sense: got 'scans', expected 'scan'"),
    ('range_and_bearing', "expected 'neighbours'"), ('smell', 'expected any of twist, scan'),
    (3, 'sense: got 3'), (None, 'sense: got None')])
def test_other_names_are_refused_and_former_ones_say_what_they_are_now(name, words):
    with pytest.raises(InputError, match=words):
        check_name('sense', name)
    check_name('sense', 'scan')


def test_a_run_says_so_too():
    run = sbot.run({**SCENE, 'duration': 0.1}, sense=['scan', 'scan'])
    assert run.scan.shape == (3, 4, 180)
    assert run.imu is None
    with pytest.raises(AttributeError, match="got 'scans', expected 'scan'"):
        run.scans
    with pytest.raises(AttributeError):
        run.smell
