"""What was trained drives the same robots in batches, runs, replay and over nodes, bit for bit."""

import shutil
from pathlib import Path

import numpy as np
import pytest

import sbot
from sbot.learn.evaluation import worlds_of
from sbot.learn.proof.comparison import differences
from sbot.learn.proof.report import ROWS, read_rows, write_rows
from sbot.learn.proof.training import Trained
from sbot.learn.tasks.registry import entry_of

pytest.importorskip('cma', reason='cma is missing (extra evolve)')

TICKS = 15
# A network, and a function of our own whose weights were trained.
KINDS = {'coverage': ('neural_controller.controller:Neural', 'network'),
         'pursuit': ('function_policy', 'policy')}


@pytest.fixture(scope='module', params=list(KINDS))
def trained(request, tmp_path_factory):
    """An entry, its trained policy, and the scenario that its file drives."""
    entry = entry_of(request.param)
    found = Trained.evolve(entry, 1, generations=2, population=6, scenes=1)
    folder = tmp_path_factory.mktemp(request.param)
    sbot.save_policy(folder / 'policy.json', found.policy, found.weights)
    controller, key = KINDS[request.param]
    values = entry.scene().scenario(11, controller, {key: str(folder / 'policy.json')})
    return entry, found, sbot.load({**values, 'duration': TICKS / values['rate']}), folder


def test_a_run_equals_a_batch(trained):
    entry, found, scenario, _ = trained
    episode = worlds_of(entry, [11, 12]).run(found.policy, found.weights, TICKS, keep=['pose'])
    run = sbot.run(scenario)
    assert run.poses[:TICKS].tobytes() == np.ascontiguousarray(episode.pose[:, 0]).tobytes()
    assert (run.poses[0] != run.poses[-1]).any()


def test_training_is_repeatable_whatever_the_threads(trained):
    entry, found, *_ = trained
    again = Trained.evolve(entry, 1, generations=2, population=6, scenes=1, threads=2)
    assert np.array_equal(found.weights, again.weights)
    assert np.array_equal(found.curve[:, 1:], again.curve[:, 1:])


def test_a_function_begins_at_its_weights():
    entry = entry_of('pursuit')
    entry = entry._replace(learned=entry.learned._replace(weights=(9.0,) * 44))
    found = Trained.evolve(entry, 1, generations=1, population=6, scenes=1)
    assert found.weights.mean() == pytest.approx(9.0, abs=1.0)


@pytest.mark.parametrize('folder', [path.parent for path in (
    Path(__file__).resolve().parents[4] / 'benchmark/learning').glob(f'*/{ROWS}')],
    ids=lambda path: path.name)
def test_the_rows_of_the_results_come_again(tmp_path, folder):
    """Of the first policies all episodes, of `navigate` the first one; ``--check`` plays all."""
    rows = read_rows(folder / ROWS)
    some = [row for row in rows if row.training == 1]
    some += [row for row in rows if row.policy == 'navigate'][:1]
    for file in {row.file for row in some if row.file}:
        shutil.copyfile(folder / file, tmp_path / file)
    write_rows(tmp_path / ROWS, some)
    assert [*differences(tmp_path / ROWS)] == []
