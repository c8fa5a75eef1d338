import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # test helpers, e.g. bag_maker

import pytest
from every_controller import installed, write_files


@pytest.fixture(scope='module')
def every_controller(tmp_path_factory):
    """A folder with all that the cases of ``every_controller`` need; their package is found."""
    folder = tmp_path_factory.mktemp('every_controller')
    write_files(folder)
    with installed(folder):
        yield folder
