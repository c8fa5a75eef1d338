"""A hundred mutations for each parser; `make soak` does a million."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from soak import BATCHES, run_child

pytestmark = pytest.mark.forked

COUNTS = {'bag': 40, 'records': 40, 'payloads': 40, 'metadata': 40, 'sqlite': 40, 'scenario': 60,
          'world': 60}


@pytest.mark.parametrize('target', BATCHES)
def test_mutated_inputs_are_read_or_refused_in_one_line(target):
    found = run_child(target, 1, 0, COUNTS.get(target, 120), timeout=900.0)
    assert found['findings'] == []
    assert found['inputs'] == COUNTS.get(target, 120)
    assert found['counts']['refused'] > 0
    assert found['counts']['read'] > 5
