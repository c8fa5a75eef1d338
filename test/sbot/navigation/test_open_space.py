"""Scenes of open space: every one a scenario, another for another seed where that matters."""

import pytest
from every_scene import by_name, check_starts_goals_and_seeds

from sbot.navigation.open_space import FAMILIES

SCENES = by_name(FAMILIES)


@pytest.mark.parametrize('name', SCENES)
def test_starts_and_goals_are_free_of_walls_and_differ_by_seed(name):
    check_starts_goals_and_seeds(SCENES[name])
