"""Temporary folders go with their object."""

from pathlib import Path

from sbot.files.temporary import TemporaryFolder


def test_a_folder_goes_with_its_object():
    folder = TemporaryFolder('object')
    path = Path(folder.name)
    assert path.is_dir()
    assert path.name.startswith('sbot_object_')
    del folder
    assert not path.exists()
