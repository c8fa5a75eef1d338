"""A few hundred mutations for each parser; `make soak` does a million."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from soak import BATCHES, run_child

pytestmark = pytest.mark.forked

COUNTS = {'bag': 60, 'records': 60, 'payloads': 60, 'metadata': 60, 'sqlite': 30, 'scenario': 100,
          'arguments': 100, 'journal': 100, 'world': 100}


@pytest.mark.parametrize('target', BATCHES)
def test_mutated_inputs_are_read_or_refused_in_one_line(target):
    found = run_child(target, 1, 0, COUNTS.get(target, 300), timeout=900.0)
    assert found['findings'] == []
    assert found['inputs'] == COUNTS.get(target, 300)
    assert found['counts']['refused'] > 0
    assert found['counts']['read'] > 5
