"""Forks recorders and kills each at a random moment; prints what each had written by then.

Usage: kill_recorder.py DIRECTORY COUNT SEED. A program of its own: it forks without threads.
"""

import json
import mmap
import os
import random
import signal
import sys
import time
from pathlib import Path

from sbot.bag.metadata import definition, type_hash
from sbot.bag.recorder import Recorder
from sbot_common.topics import RAB_DATA, SCENARIO

AT_ONCE = 10
LONGEST = 2.0  # s
MOST = 4000  # messages

if __name__ == '__main__':
    directory, count, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    choose = random.Random(seed)
    payloads = [choose.randbytes(choose.randrange(8, 3000)) for _ in range(17)]
    for topic in (SCENARIO, RAB_DATA):  # else each child would work this out first
        definition(topic.type), type_hash(topic.type)
    results = []
    for first in range(0, count, AT_ONCE):
        children = []
        for number in range(first, min(first + AT_ONCE, count)):
            times = mmap.mmap(-1, 8 * MOST)
            pid = os.fork()
            if pid == 0:
                view = memoryview(times).cast('d')
                recorder = Recorder(directory / str(number), metadata={'scenario': 'name: x'})
                recorder.write('/scenario', SCENARIO, 1, b'first')
                for k in range(MOST):
                    recorder.write('/robot_0/rab_data', RAB_DATA, k + 1, payloads[k % 17])
                    view[k] = time.monotonic()
                    time.sleep(0.001)
                os._exit(0)
            children.append((number, pid, times, time.monotonic() + choose.uniform(0, LONGEST)))
        for number, pid, times, when in sorted(children, key=lambda child: child[3]):
            time.sleep(max(0.0, when - time.monotonic()))
            os.kill(pid, signal.SIGKILL)
            killed = time.monotonic()
            os.waitpid(pid, 0)
            written = [t for t in memoryview(times).cast('d') if t]
            old = sum(t < killed - 1.0 for t in written)
            results.append({'bag': str(directory / str(number)), 'written': len(written),
                            'old': old})
    print(json.dumps({'results': results, 'payloads': [p.hex() for p in payloads]}))
