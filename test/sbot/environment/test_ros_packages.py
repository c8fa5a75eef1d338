"""Packages of ROS that launch files need: what is missing is told with what to do."""

import pytest

from sbot.environment.running import need_package

pytest.importorskip('ament_index_python')


def test_a_missing_package_is_one_line_with_two_ways_out(monkeypatch, tmp_path):
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(tmp_path))
    with pytest.raises(RuntimeError) as info:
        need_package('no_such_package', 'rviz', 'rviz:=false')
    assert str(info.value) == (
        'launch argument rviz needs the package no_such_package; install it (apt: '
        'ros-$ROS_DISTRO-no-such-package), or use rviz:=false')


def test_without_an_environment_of_ros_it_is_missing_too(monkeypatch):
    monkeypatch.delenv('AMENT_PREFIX_PATH', raising=False)
    with pytest.raises(RuntimeError, match='needs the package rviz2'):
        need_package('rviz2', 'rviz', 'rviz:=false')


def test_an_installed_one_is_fine(monkeypatch, tmp_path):
    marks = tmp_path / 'share' / 'ament_index' / 'resource_index' / 'packages'
    marks.mkdir(parents=True)
    (marks / 'rviz2').write_text('')
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(tmp_path))
    need_package('rviz2', 'rviz', 'rviz:=false')
