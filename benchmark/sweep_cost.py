"""What a sweep costs beyond its simulations, and what it gains from a second process.

    python benchmark/sweep_cost.py [--runs 200] [--csv FILE]

* a run: time beyond that of its simulation, from the second run of a process on;
* two processes: how much faster than one, with runs of some tenths of a second;
* memory: how much the sweep's own process grows from 1,000 to 10,000 runs (no simulation);
* bytes: what is sent to a worker once, and for each run there and back.
"""

from __future__ import annotations

import argparse
import csv
import pickle
import resource
import sys
import tempfile
import time
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

from sbot.bench import machine
from sbot.runner.loop import run_scenario
from sbot.runner.warm_up import warm_up
from sbot.sweeps.experiment import Options, run_sweep
from sbot.sweeps.guard import _Guard
from sbot.sweeps.journal import _line_of
from sbot.sweeps.plan import PlannedRun
from sbot.sweeps.request import Request, source_of
from sbot.sweeps.simulate import make_job
from sbot.sweeps.sources import plan_of


def request(runs: int, duration: float) -> Request:
    made = Request([source_of('leader_follower')], seeds=range(runs))
    made.set('duration', duration, 'duration')
    return made


def sweep_time(runs: int, duration: float, processes: int) -> float:
    """Time a sweep (s)."""
    made = request(runs, duration)
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        run_sweep(plan_of(made), made, Path(folder), Options(jobs=processes, progress=False))
        return time.perf_counter() - started


def cost_of_a_run(runs: int) -> float:
    """Time from handing a run to its process to its row, beyond the simulation (s).

    Both by turns, the same run each time, and the best of each: a busy machine disturbs these
    least.
    """
    made = request(2, 0.1)
    plan = plan_of(made)
    packed = make_job(plan, made.metrics, made.given, made.module_path)
    job = pickle.loads(packed)
    scenario = job.scenario(plan[1])
    guard = _Guard()
    guard.row(packed, job, plan[1])
    asked, simulated = [], []
    for _ in range(runs):
        started = time.perf_counter()
        guard.row(packed, job, plan[1])
        asked.append(time.perf_counter() - started)
        started = time.perf_counter()
        run_scenario(scenario, keep=False)
        simulated.append(time.perf_counter() - started)
    guard.close()
    return min(asked) - min(simulated)


class Instant(Executor):
    """Answers with copies of one row."""

    def __init__(self, row: dict[str, Any]) -> None:
        self._row = row

    def submit(self, _: object, /, packed: bytes, batch: list[PlannedRun]) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result([{**self._row, 'run': run.number, 'seed': run.seed} for run in batch])
        return future


def bookkeeping(runs: int, row: dict[str, Any]) -> tuple[float, float]:
    """Time journal and tables of a sweep that simulates nothing (s); greatest memory (MiB)."""
    made = request(runs, 0.1)
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        run_sweep(plan_of(made), made, Path(folder),
                  Options(executor=Instant(row), progress=False))
        return (time.perf_counter() - started,
                resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def main() -> int:
    parser = argparse.ArgumentParser(allow_abbrev=False, description=__doc__.partition('\n')[0])
    parser.add_argument('--runs', type=int, default=200)
    parser.add_argument('--csv', type=Path)
    options = parser.parse_args()
    warm_up()
    runs = max(options.runs, 10)
    made = request(2, 0.1)
    plan = plan_of(made)
    packed = make_job(plan, made.metrics, made.given, made.module_path)
    row = pickle.loads(packed).row(plan[0])
    short, few = bookkeeping(1000, row)
    long, many = bookkeeping(10_000, row)
    kept = (long - short) / 9000
    one = sweep_time(1, 0.1, 1)
    alone, both = (sweep_time(runs // 5, 4.0, processes) - one for processes in (1, 2))
    found = {
        'cost_a_run_ms': round(1e3 * (cost_of_a_run(runs) + kept), 2),
        'journal_and_tables_ms': round(1e3 * kept, 2), 'first_run_s': round(one, 2),
        'speedup_of_two_processes': round(alone / both, 2),
        'peak_mib_1000_runs': round(few, 1), 'peak_mib_10000_runs': round(many, 1),
        'job_bytes': len(packed), 'run_bytes': len(pickle.dumps(plan[1])),
        'row_bytes': len(pickle.dumps(row)), 'journal_bytes': len(_line_of(row)),
        'machine': machine()}
    for name, value in found.items():
        print(f'{name:>26} {value}')
    if options.csv is not None:
        with options.csv.open('w', newline='', encoding='utf-8') as file:
            writer = csv.DictWriter(file, found, lineterminator='\n')
            writer.writeheader()
            writer.writerow(found)
    return 0


if __name__ == '__main__':
    sys.exit(main())
