"""Mutants are drawn by their seed, and each differs from the code in one place."""

import ast
from pathlib import Path

from mutants import drawn, run
from test_imports import PACKAGES, ROOT


def test_mutants_are_drawn_by_their_seed_over_all_packages():
    mutants = drawn(1, 200)
    assert len({(mutant.file, mutant.function, mutant.line) for mutant in mutants}) == 200
    assert {mutant.file.partition('/')[0] for mutant in mutants} == {*PACKAGES}
    assert drawn(1, 9, 'controllers/navigate') == drawn(1, 9, 'controllers/navigate')
    assert drawn(1, 9, 'controllers/navigate') != drawn(2, 9, 'controllers/navigate')
    for mutant in mutants:
        before, after = (ROOT / mutant.file).read_text('utf-8'), mutant.text
        assert ast.dump(ast.parse(after)) != ast.dump(ast.parse(before)), mutant
        assert before[:before.index('\n')] == after[:after.index('\n')]


def test_a_run_passes_fails_or_is_late(tmp_path: Path):
    for name, body, outcome in (('good', 'pass', 'passed'), ('bad', 'raise ValueError', 'failed'),
                                ('endless', 'while True: pass', 'late')):
        (tmp_path / f'test_{name}.py').write_text(f'def test():\n    {body}\n')
        assert run(tmp_path, [f'test_{name}.py'], 1.0 if outcome == 'late' else 60.0) == outcome
