"""Two runs of the tests at once never share a ROS domain."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from ros_domain import DOMAINS, is_inhabited, lock_domain


def test_a_domain_is_locked_until_its_process_ends():
    def other() -> int:
        code = 'from ros_domain import lock_domain; print(lock_domain())'
        return int(subprocess.run([sys.executable, '-c', code], cwd=Path(__file__).parent,
                                  capture_output=True, text=True, check=True).stdout)
    ours, elsewhere = int(os.environ['ROS_DOMAIN_ID']), other()
    assert ours in DOMAINS
    assert elsewhere in DOMAINS
    assert elsewhere != ours


@pytest.mark.skipif(not Path('/proc/self/environ').exists(), reason='needs /proc')
def test_a_domain_in_which_a_process_was_left_behind_is_not_taken(monkeypatch, tmp_path):
    monkeypatch.setattr('ros_domain.DOMAINS', (1001, 1002))  # no ROS there
    monkeypatch.setattr('tempfile.gettempdir', lambda: str(tmp_path))
    left = subprocess.Popen([sys.executable, '-c', 'input()'], stdin=subprocess.PIPE,
                            env={**os.environ, 'ROS_DOMAIN_ID': '1001'})
    try:
        assert is_inhabited(1001)
        assert lock_domain() == 1002
        assert lock_domain() == 1001  # better than none
    finally:
        left.communicate()
    assert not is_inhabited(1001)
