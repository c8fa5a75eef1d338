#!/usr/bin/env python3
"""Feed mutated inputs to all parsers, for a number of inputs or a time: `make soak`.

    python test/robustness/soak.py --seconds 3600
    python test/robustness/soak.py --count 1000000 --jobs 2 --target bag --target records

Prints a line for each batch and a table at the end; exit code 1 if anything but an InputError
came of an input, or it took too long or too much memory. Findings are kept in `--keep`, and
`child.py TARGET --seed S --first I --count 1` repeats one.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Inputs of each target in a batch: a minute or two. Children begin anew, so nothing piles up. Five
# batches of each are a million inputs.
BATCHES = {'scenario': 5000, 'map': 22_000, 'image': 10_000, 'wind': 22_000,
           'argos': 8000, 'world': 8000, 'bag': 3000, 'records': 3000, 'payloads': 2000,
           'metadata': 3000, 'sqlite': 2000, 'messages': 80_000, 'network': 40_000}


def run_child(target, seed, first, count, *options, timeout=7200.0):
    """Return what child.py found, also where an input has ended it."""
    with tempfile.TemporaryDirectory(prefix='sbot_soak_') as folder:
        place = Path(folder) / 'place'
        command = [sys.executable, str(HERE / 'child.py'), target, '--seed', str(seed), '--first',
                   str(first), '--count', str(count), '--place', str(place), *options]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=timeout,
                                  check=False)
            words, code = done.stderr, done.returncode
            if code in (0, 1) and done.stdout.strip():
                return json.loads(done.stdout.splitlines()[-1])
        except subprocess.TimeoutExpired:
            words, code = 'no answer: hangs where no signal reaches it', 'timeout'
        last = int(place.read_text()) if place.exists() else first
        return {'target': target, 'seed': seed, 'first': first, 'inputs': last - first + 1,
                'counts': {'crash': 1, 'unknown': last - first}, 'slowest_s': 0.0,
                'findings': [{'input': last, 'outcome': f'crash {code}',
                              'words': words[-3000:]}]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--seconds', type=float, help='for so long (default: 3600, or --count)')
    parser.add_argument('--count', type=int, help='so many inputs in all')
    parser.add_argument('--seed', type=int, default=random.SystemRandom().randrange(2**32))
    parser.add_argument('--jobs', type=int, default=1, help='processes at a time')
    parser.add_argument('--target', action='append', choices=BATCHES, help='may be repeated')
    parser.add_argument('--keep', default='build/soak', help='folder for findings')
    args = parser.parse_args()
    seconds = args.seconds or (3600.0 if args.count is None else float('inf'))
    Path(args.keep).mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + seconds
    targets = args.target or list(BATCHES)
    share = sum(BATCHES[target] for target in targets)
    total, slowest, findings = {t: Counter() for t in targets}, dict.fromkeys(targets, 0.0), []
    print(f'seed {args.seed}', flush=True)

    def batch(target, round_number):
        count = BATCHES[target]
        if args.count is not None:
            count = min(count, -(-args.count * count // share))
        left = end - time.monotonic()
        if left <= 0:
            return
        result = run_child(target, args.seed, round_number * BATCHES[target], count, '--keep',
                           args.keep, *([] if left == float('inf') else ['--seconds', str(left)]))
        total[target].update(result['counts'])
        slowest[target] = max(slowest[target], result['slowest_s'])
        for finding in result['findings']:
            kind = target, finding['outcome'], finding['words'].strip().rpartition('\n')[2]
            findings.append(kind)
            if findings.count(kind) > 1:  # said once
                continue
            print(f"{target}: input {finding['input']}: {finding['outcome']}\n"
                  f"{finding['words']}", flush=True)
        print(f"{target}: {result['inputs']} inputs from {result['first']}: {result['counts']}, "
              f"at most {result['slowest_s']:.2f} s", flush=True)

    with ThreadPoolExecutor(args.jobs) as pool:
        round_number = 0
        while time.monotonic() < end and (
                args.count is None or sum(map(Counter.total, total.values())) < args.count):
            list(pool.map(batch, targets, [round_number] * len(targets)))
            round_number += 1
    print('| input | inputs | read | refused in one line | findings | slowest (s) |')
    print('| --- | --- | --- | --- | --- | --- |')
    for target in targets:
        counts = total[target]
        good = counts['read'], counts['refused']
        print(f'| {target} | {counts.total()} | {good[0]} | {good[1]} | '
              f'{counts.total() - sum(good)} | {slowest[target]:.2f} |')
    return 1 if findings else 0


if __name__ == '__main__':
    sys.exit(main())
