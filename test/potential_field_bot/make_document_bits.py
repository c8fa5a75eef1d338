"""Write document_bits.json: inputs, and what the document's listings make of them, bit for bit.

Run it with POTENTIAL_FIELD_BOT_DOCUMENTS naming the folder of documents, and g++:

    python test/potential_field_bot/make_document_bits.py
"""

import json
import sys
import tempfile
from pathlib import Path

import document_cases as cases
import document_oracle
import numpy as np

TABLE = Path(__file__).with_name('document_bits.json')
CASES, SCENES, TURNS, BEAMS = 32, 6, 6, 8


def bits(values: object) -> str:
    """Numbers as the hexadecimal digits of their float64, 16 each."""
    return np.ravel(np.asarray(values, '>f8')).tobytes().hex()


def scene_rows(scene: cases.Scene, document: np.ndarray) -> dict[str, object]:
    """A scene and the document's results as JSON values."""
    return {
        'variant': scene.variant, 'robot_id': scene.robot_id, 'goal': bits(scene.goal),
        'start_draws': bits(scene.start_draws),
        'turns': [{'poses': bits(turn.poses), 'ranges': bits(turn.ranges),
                   'scan': bits([turn.scan_heading, turn.angle_min, turn.angle_increment]),
                   'draws': bits(turn.draws), 'document': bits(row)}
                  for turn, row in zip(scene.turns, document, strict=True)]}


def main() -> int:
    reason = document_oracle.unavailable()
    if reason:
        print(reason, file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        oracles = []
        for number, constants in enumerate(cases.VARIANTS):
            oracles.append(document_oracle.Oracle(Path(folder) / str(number), constants))
        rng = np.random.default_rng(1)
        formulas = {}
        for formula in cases.FORMULAS:
            inputs = cases.formula_inputs(formula, rng, CASES)
            results = oracles[0].formula(formula.number, inputs)
            formulas[formula.name] = [[bits(row), bits(result)]
                                      for row, result in zip(inputs, results, strict=True)]
        scenes = []
        for number in range(SCENES):
            scene = cases.random_scene(rng, number % 2, TURNS, BEAMS)
            scenes.append(scene_rows(scene, cases.run_document(oracles[scene.variant], scene)))
    TABLE.write_text(json.dumps({'formulas': formulas, 'scenes': scenes}, indent=0) + '\n')
    return 0


if __name__ == '__main__':
    sys.exit(main())
