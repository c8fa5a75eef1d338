"""Every formula and the whole turn against the document's C++, bit by bit."""

import document_cases as cases
import numpy as np
import pytest

CASES = 8_000  # of each of 13 formulas
SCENES, TURNS, BEAMS = 250, 20, 24  # of each of 2 variants


@pytest.mark.parametrize('formula', cases.FORMULAS, ids=lambda formula: formula.name)
def test_formula(oracles, formula):
    inputs = cases.formula_inputs(formula, np.random.default_rng(formula.number), CASES)
    inputs = inputs[cases.without_zero_noise(formula, inputs)]
    expected = oracles[0].formula(formula.number, inputs)
    different = cases.differing_bits(cases.ours(formula, inputs), expected).any(axis=1)
    assert not different.any(), inputs[different][:3]


@pytest.mark.parametrize('variant', range(len(cases.VARIANTS)))
def test_turn(oracles, variant):
    rng = np.random.default_rng(variant)
    unsaturated = 0
    for _ in range(SCENES):
        scene = cases.random_scene(rng, variant, TURNS, BEAMS)
        document = cases.run_document(oracles[variant], scene)
        ours = cases.run_ours(scene)
        expected = cases.as_answered(document)
        gone = cases.new_goal(scene, document)
        expected[gone, 7:] = ours[gone, 7:]
        different = cases.differing_bits(ours, expected)
        assert not different.any(), (scene.robot_id, np.argwhere(different)[:3])
        unsaturated += ((ours[:, 0] > 0) & (ours[:, 0] < 0.7)).sum()
    assert unsaturated > 100  # else the forward speed would be compared at its limits only


def test_diagnostic_line(oracles):
    from potential_field_bot.controller import State, Turn
    from potential_field_bot.node import _diagnostic_line
    bot = oracles[0].bot(1, 2, (7.0, -8.5))
    bot.poses(np.array([[0.0, 0.0, 0.0], [1.25, -2.0, 0.5]]))
    bot.start(np.zeros(2))
    turn = Turn(0.5, -0.25, 1.5, 3.0, -4.0, *[0.0] * 8)
    line = _diagnostic_line(1, [1.25, -2.0, 0.5], turn, State(1.25, -2.0, 7.0, -8.5, 0), False)
    assert line == bot.line(3.0, -4.0, 1.5, 0.5, -0.25)


@pytest.mark.parametrize('variant', range(len(cases.VARIANTS)))
def test_commands_with_the_functions_of_this_machine(machine_oracles, variant):
    """They differ by rounding alone: 1e-12 of the command (docs/errata.md P14)."""
    rng = np.random.default_rng(variant)
    errors = []
    for _ in range(SCENES):
        scene = cases.random_scene(rng, variant, TURNS, BEAMS)
        document = cases.as_answered(cases.run_document(machine_oracles[variant], scene))
        ours = cases.run_ours(scene)
        errors.append(np.abs(ours[:, :2] - document[:, :2]) / np.maximum(
            np.abs(document[:, :2]), np.finfo(float).tiny))
    assert np.concatenate(errors).max() <= 1e-12
