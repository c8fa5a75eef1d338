"""Parts of benchmark scenes: walls with gaps, and numbers that are the same everywhere."""

import numpy as np
import pytest
from every_scene import by_name, check_starts_goals_and_seeds
from scipy import ndimage

from sbot.navigation.scenes import OPEN_SPACE, parts

OPEN_SPACE_SCENES = by_name(OPEN_SPACE)


@pytest.mark.parametrize('name', OPEN_SPACE_SCENES)
def test_starts_and_goals_are_free_of_walls_and_differ_by_seed(name):
    check_starts_goals_and_seeds(OPEN_SPACE_SCENES[name])


@pytest.mark.parametrize('diagonal', [False, True])
def test_cells_hang_together_as_those_of_scipy(diagonal):
    free = np.random.default_rng(2).random((30, 40)) < 0.5
    expected, count = ndimage.label(free, np.ones((3, 3)) if diagonal else None)
    found = parts(free, diagonal)
    assert len(np.unique(np.stack([found[free], expected[free]]), axis=1).T) == count > 1
    assert len(np.unique(found[free])) == count
    assert not found[~free].any()
