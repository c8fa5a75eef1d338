"""Settings of all tests."""

import os

import pytest
from hypothesis import settings

# The first call of a compiled function takes seconds; time limits per example would only flicker.
settings.register_profile('project', deadline=None)
settings.load_profile('project')

# Nodes of tests talk to this machine only, and not to whatever else runs on it.
os.environ['ROS_DOMAIN_ID'] = str(1 + os.getpid() % 100)
os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')

# Tests of real nodes: processes that find each other over DDS. A machine with fewer free cores
# than processes may once be too slow for their deadlines, so each may be tried twice.
ROS_FILES = {'test_node.py', 'test_up.py', 'test_player.py', 'test_bag_contents.py', 'test_ros.py',
             'test_view_live.py', 'test_in_the_world.py', 'test_composed.py'}


def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.name in ROS_FILES:
            item.add_marker(pytest.mark.flaky(reruns=1))
