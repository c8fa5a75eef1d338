"""Publishers of a robot's commands, as the ROS graph shows them."""


import pytest

pytestmark = pytest.mark.ros
