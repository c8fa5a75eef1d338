"""Settings of all tests."""

import os

from hypothesis import settings

# The first call of a compiled function takes seconds; time limits per example would only flicker.
settings.register_profile('project', deadline=None)
settings.load_profile('project')

# Nodes of tests talk to this machine only, and not to whatever else runs on it.
os.environ['ROS_DOMAIN_ID'] = str(1 + os.getpid() % 100)
os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
