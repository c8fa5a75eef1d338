"""The committed table of inputs and of what the document's listings make of them.

Made by make_document_bits.py, with the project's elementary functions: the same bits everywhere.
"""

import json
from pathlib import Path

import document_cases as cases
import numpy as np
import pytest

TABLE = json.loads(Path(__file__).with_name('document_bits.json').read_text())


def values(bits: str) -> np.ndarray:
    return np.frombuffer(bytes.fromhex(bits), '>f8').astype(np.float64)


def assert_same(ours: np.ndarray, document: np.ndarray) -> None:
    assert not cases.differing_bits(ours, document).any()


@pytest.mark.parametrize('formula', cases.FORMULAS, ids=lambda formula: formula.name)
def test_formula(formula):
    rows = TABLE['formulas'][formula.name]
    assert len(rows) >= 16
    inputs, document = (np.array([values(row[i]) for row in rows]) for i in range(2))
    followed = cases.without_zero_noise(formula, inputs)
    assert_same(cases.ours(formula, inputs[followed]), document[followed])


@pytest.mark.parametrize('number', range(6))
def test_turns(number):
    rows = TABLE['scenes'][number]
    turns = []
    for row in rows['turns']:
        heading, angle_min, increment = map(float, values(row['scan']))
        turns.append(cases.TurnInputs(
            values(row['poses']).reshape(-1, 3), heading,
            cases.as_float32(values(row['ranges'])), angle_min, increment, values(row['draws'])))
    scene = cases.Scene(rows['variant'], rows['robot_id'], tuple(map(float, values(rows['goal']))),
                        values(rows['start_draws']), turns)
    document = np.array([values(row['document']) for row in rows['turns']])
    ours, expected = cases.run_ours(scene), cases.as_answered(document)
    gone = cases.new_goal(scene, document)
    expected[gone, 7:] = ours[gone, 7:]
    assert_same(ours, expected)
