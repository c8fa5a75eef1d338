"""Feeds mutated inputs to one parser, under limits of time and memory; one JSON object at the end.

    python test/robustness/child.py TARGET --seed 1 --first 0 --count 1000

Input number i of a seed is always the same. The last number begun is kept in the file --place, so
that whoever waits knows which input ended the process.
"""

import argparse
import faulthandler
import json
import logging
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path
from random import Random

from targets import TARGETS

from sbot_common.errors import LONGEST, InputError

MOST_FINDINGS = 20
WAITING = 10  # times the limit: it waits for something, or the machine is overloaded


class RunTimeout(BaseException):
    """An input took longer than it may."""


def _too_long(signum, frame):
    raise RunTimeout


def _memory() -> int:
    """Return the address space of this process (bytes)."""
    return int(Path('/proc/self/statm').read_text().split()[0]) * resource.getpagesize()


def _limit_memory(mebibytes: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_memory() + mebibytes * 2**20, resource.RLIM_INFINITY))


def attempt(read, data: bytes, folder: Path, seconds: float) -> tuple[str, str]:
    """Return 'read', 'refused' or what went wrong, and its words."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, WAITING * seconds)
    try:
        read(data, folder)
        return 'read', ''
    except InputError as error:
        text = str(error)
        if not text.isprintable() or len(text) > LONGEST:
            return 'message', text
        return ('memory' if 'more memory' in text else 'refused'), text
    except RunTimeout:
        return 'time', traceback.format_exc(limit=-4)
    except MemoryError:
        return 'memory', traceback.format_exc(limit=-6)
    except BaseException:
        return 'traceback', traceback.format_exc(limit=-8)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument('target', choices=TARGETS)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--first', type=int, default=0)
    parser.add_argument('--count', type=int, default=1000)
    parser.add_argument('--seconds', type=float, default=1e9, help='stop then')
    parser.add_argument('--limit', type=float, default=10.0,
                        help='seconds of the processor for one input')
    parser.add_argument('--memory', type=int, default=1024, help='MiB beyond what is loaded')
    parser.add_argument('--place', help='file for the number of the input')
    parser.add_argument('--keep', help='folder for inputs that are findings')
    args = parser.parse_args()
    faulthandler.enable()
    logging.disable(logging.CRITICAL)
    warnings.simplefilter('ignore')
    target = TARGETS[args.target]
    signal.signal(signal.SIGPROF, _too_long)
    signal.signal(signal.SIGALRM, _too_long)
    place = os.open(args.place, os.O_CREAT | os.O_WRONLY) if args.place else -1
    counts: dict[str, int] = {}
    findings = []
    slowest = (0.0, -1)
    with tempfile.TemporaryDirectory(prefix='sbot_fuzz_') as name:
        folder = Path(name)
        seeds = target.seeds(folder)
        for seed in seeds:
            target.read(seed, folder) if args.target != 'messages' else (
                attempt(target.read, seed, folder, 60.0))
        _limit_memory(args.memory)
        end = time.monotonic() + args.seconds
        i = args.first
        while i < args.first + args.count and time.monotonic() < end:
            if place >= 0:
                os.pwrite(place, b'%20d' % i, 0)
            data = target.make(seeds, Random(f'{args.seed}/{i}'))
            begin = time.process_time()
            outcome, words = attempt(target.read, data, folder, args.limit)
            slowest = max(slowest, (time.process_time() - begin, i))
            counts[outcome] = counts.get(outcome, 0) + 1
            if outcome not in ('read', 'refused'):
                if args.keep:
                    (Path(args.keep) / f'{args.target}_{args.seed}_{i}').write_bytes(data)
                if len(findings) < MOST_FINDINGS:
                    findings.append({'input': i, 'outcome': outcome, 'words': words[-3000:]})
            i += 1
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
    print(json.dumps({'target': args.target, 'seed': args.seed, 'first': args.first,
                      'inputs': i - args.first, 'counts': counts, 'slowest_s': slowest[0],
                      'slowest_input': slowest[1], 'findings': findings}))
    return 1 if findings else 0


if __name__ == '__main__':
    sys.exit(main())
