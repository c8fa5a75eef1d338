"""Engines against hashes of the step that the batch replaced: every bit, for any threads."""

import json

import pytest
import recorded_bits


@pytest.mark.parametrize('threads', [1, 2])
@pytest.mark.parametrize('name', recorded_bits.SCENARIOS)
def test_bits_are_those_recorded(name, threads):
    recorded = json.loads(recorded_bits.FILE.read_text())
    assert recorded_bits.bits(name, threads) == recorded[name]
