"""Parts of benchmark scenes: walls with gaps, and numbers that are the same everywhere."""

import pytest
from every_scene import by_name, check_starts_goals_and_seeds

from sbot.navigation.scenes import OPEN_SPACE

OPEN_SPACE_SCENES = by_name(OPEN_SPACE)


@pytest.mark.parametrize('name', OPEN_SPACE_SCENES)
def test_starts_and_goals_are_free_of_walls_and_differ_by_seed(name):
    check_starts_goals_and_seeds(OPEN_SPACE_SCENES[name])
