"""Engines against hashes of the step that the batch replaced: every bit, for any threads."""

import json

import pytest
import recorded_bits

from sbot_sim.engine import many
from sbot_sim.worlds import batch


@pytest.mark.parametrize('threads', [1, 2])
@pytest.mark.parametrize('name', recorded_bits.SCENARIOS)
def test_bits_are_those_recorded(name, threads):
    recorded = json.loads(recorded_bits.FILE.read_text())
    assert recorded_bits.bits(name, threads) == recorded[name]


@pytest.mark.parametrize('name', recorded_bits.SCENARIOS)
def test_bits_are_those_recorded_where_threads_share_every_phase(name, monkeypatch):
    """Few robots, too: each a task of its own, and each phase a step."""
    for limit in ('_WORTH', '_WORTH_A_CALL'):
        monkeypatch.setattr(many, limit, 0)
    monkeypatch.setattr(batch, '_LEAST_ROWS', 1)
    recorded = json.loads(recorded_bits.FILE.read_text())
    assert recorded_bits.bits(name, 3) == recorded[name]
