"""Two runs of the tests at once never share a ROS domain."""

import os
import subprocess
import sys
from pathlib import Path

from ros_domain import DOMAINS


def test_a_domain_is_locked_until_its_process_ends():
    def other() -> int:
        code = 'from ros_domain import lock_domain; print(lock_domain())'
        return int(subprocess.run([sys.executable, '-c', code], cwd=Path(__file__).parent,
                                  capture_output=True, text=True, check=True).stdout)
    ours, elsewhere = int(os.environ['ROS_DOMAIN_ID']), other()
    assert ours in DOMAINS
    assert elsewhere in DOMAINS
    assert elsewhere != ours
