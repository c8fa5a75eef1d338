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
    first, second = 1000 * os.getpid() + 1, 1000 * os.getpid() + 2  # of nobody else, and no ROS
    monkeypatch.setattr('ros_domain.DOMAINS', (first, second))
    monkeypatch.setattr('tempfile.gettempdir', lambda: str(tmp_path))
    left = subprocess.Popen([sys.executable, '-c', 'input()'], stdin=subprocess.PIPE,
                            env={**os.environ, 'ROS_DOMAIN_ID': str(first)})
    try:
        assert is_inhabited(first)
        assert lock_domain() == second
        assert lock_domain() == first  # better than none
    finally:
        left.communicate()
    assert not is_inhabited(first)


@pytest.mark.ros
def test_what_fast_dds_complains_of_is_in_no_output(tmp_path):
    ours = Path(os.environ['FASTRTPS_DEFAULT_PROFILES_FILE']).read_text()
    bad = '<profiles><participant profile_name="a"><rtps><no/></rtps></participant></profiles>'
    (tmp_path / 'bad.xml').write_text(ours.replace('</dds>', f'{bad}</dds>'))
    done = subprocess.run(
        [sys.executable, '-c', "import rclpy; rclpy.init(); rclpy.create_node('a'); print('end')"],
        capture_output=True, text=True, check=True, env={
            **os.environ, 'FASTRTPS_DEFAULT_PROFILES_FILE': str(tmp_path / 'bad.xml'),
            'FASTDDS_DEFAULT_PROFILES_FILE': str(tmp_path / 'bad.xml')})
    assert (done.stdout, done.stderr) == ('end\n', '')
