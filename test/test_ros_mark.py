"""The mark `ros` skips a test where rclpy is missing."""

from pathlib import Path

import pytest


@pytest.mark.parametrize('found', [None, object()])
@pytest.mark.ros
def test_a_test_with_the_mark_is_skipped_without_rclpy(request, monkeypatch, found):
    file = str(Path(__file__).with_name('conftest.py'))
    [conftest] = [each for each in request.config.pluginmanager.get_plugins()
                  if getattr(each, '__file__', None) == file]
    monkeypatch.setattr(conftest, 'find_spec', lambda name: found)
    if found is None:
        with pytest.raises(pytest.skip.Exception, match='rclpy is missing'):
            conftest.pytest_runtest_setup(request.node)
    else:
        conftest.pytest_runtest_setup(request.node)
