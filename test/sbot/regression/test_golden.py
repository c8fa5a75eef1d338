"""Every shipped scenario against its bag in test/golden.

To record the bags anew after a change that is meant to change results:
SBOT_REFRESH=1 python -m pytest test/sbot/regression/test_golden.py
"""

from pathlib import Path

import pytest

from sbot.bag.reader import Bag
from sbot.scenario.load import load_scenario
from sbot.scenario.shipped import scenario_names

GOLDEN = Path(__file__).parents[2] / 'golden'

pytest_plugins = ['sbot.regression.testing']


def duration(name):
    """Return how much of a scenario is kept (s): two seconds of four robots, less of more."""
    return min(2.0, 8.0 / len(load_scenario(name).robots))


@pytest.mark.parametrize('name', scenario_names())
def test_run_equals_golden_bag(sbot, name):
    sbot.assert_golden(name, GOLDEN / name, {'duration': duration(name)})


@pytest.mark.parametrize('name', scenario_names())
def test_golden_bag_replays(sbot, name):
    sbot.assert_replays(GOLDEN / name)


def test_golden_bags_are_small_and_all_in_use():
    assert sorted(path.name for path in GOLDEN.iterdir()) == scenario_names()
    for name in scenario_names():
        size = sum(file.stat().st_size for file in (GOLDEN / name).iterdir())
        assert size < 400_000  # fifty robots have 300 topics, each with a page of metadata
        assert Bag(GOLDEN / name).complete
