"""Temporary folders of killed processes go when the next one makes its own; others stay."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import zstandard

from sbot.bag.decompress import Unpacked
from sbot.files.temporary import TemporaryFolder, delete_abandoned

pytestmark = pytest.mark.skipif(os.name != 'posix', reason='needs locks of POSIX')

HOLD = """
import sys
from sbot.files.temporary import TemporaryFolder
folder = TemporaryFolder('held')
print(folder.name, flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.setenv('TMPDIR', str(tmp_path))
    monkeypatch.setattr(tempfile, 'tempdir', None)
    return tmp_path


def holder():
    """A process that holds a temporary folder, and the folder with a file in it."""
    process = subprocess.Popen([sys.executable, '-c', HOLD], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    folder = Path(process.stdout.readline().strip())
    (folder / 'inside').mkdir()
    (folder / 'inside' / 'file').write_text('x')
    return process, folder


def test_a_killed_process_leaves_a_folder_only_until_the_next(place):
    killed, left = holder()
    lives, held = holder()
    try:
        killed.kill()
        killed.wait()
        assert left.is_dir()
        with TemporaryFolder('next') as name:
            assert Path(name).parent == place
            assert not left.exists()
            assert (held / 'inside' / 'file').exists()
            assert Path(name).is_dir()
        assert not Path(name).exists()
        lives.communicate('')
        assert not held.exists()
    finally:
        lives.kill()


def test_what_is_not_ours_stays(place):
    elsewhere = place / 'elsewhere'
    (place / 'sbot_no_lock').mkdir()
    elsewhere.mkdir()
    (elsewhere / '.in_use').touch()
    (place / 'sbot_link').symlink_to(elsewhere)
    (place / 'sbot_locked_by_link').mkdir()
    (place / 'sbot_locked_by_link' / '.in_use').symlink_to(elsewhere / '.in_use')
    (place / 'sbot_file').touch()
    before = sorted(place.rglob('*'))
    delete_abandoned()
    assert sorted(place.rglob('*')) == before


def test_a_folder_goes_with_its_object(place):
    folder = TemporaryFolder('object')
    path = Path(folder.name)
    assert path.is_dir()
    del folder
    assert not path.exists()


def test_an_unpacked_recording_of_a_killed_process_is_deleted(place):
    killed, left = holder()
    killed.kill()
    killed.wait()
    (place / 'a.mcap.zst').write_bytes(zstandard.compress(b'abc'))
    copy = Unpacked(place / 'a.mcap.zst')
    assert copy.path.read_bytes() == b'abc'
    assert not left.exists()


def test_no_module_makes_temporary_folders_in_another_way():
    root = Path(__file__).resolve().parents[3]
    alone = {root / 'sbot/files/temporary.py', root / 'sbot_common/compiled/cache.py',
             root / 'sbot/ros/live_tf.py'}  # in the folder where they are kept
    for package in ('sbot', 'sbot_sim', 'sbot_common', 'wind_model', 'potential_field_bot',
                    'navigate', 'neural_controller'):
        for path in (root / package).rglob('*.py'):
            text = path.read_text()
            makes = 'mkdtemp' in text or 'TemporaryDirectory' in text or 'mkstemp' in text
            assert path in alone or not makes, path
