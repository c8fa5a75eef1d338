"""Settings of all tests."""

import os
import sys
from pathlib import Path

from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))  # test helpers, e.g. ros_domain

from ros_domain import lock_domain

# The first call of a compiled function takes seconds; time limits per example would only flicker.
settings.register_profile('project', deadline=None)
settings.load_profile('project')

# Nodes of tests talk to each other only; processes that tests start inherit this.
os.environ['ROS_DOMAIN_ID'] = str(lock_domain())
os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
