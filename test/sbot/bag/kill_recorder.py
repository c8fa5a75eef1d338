"""Forks recorders and kills each at a random message; prints what each had written by then.

Usage: kill_recorder.py DIRECTORY COUNT SEED. A program of its own: it forks without threads.
The moments are numbers of messages, not times: a busy machine changes nothing.
"""

import json
import mmap
import os
import random
import signal
import sys
import time
from pathlib import Path

from sbot.bag.recorder import Recorder, _definition, _type_hash
from sbot_common.topics import RAB_DATA, SCENARIO

AT_ONCE = 10
LATEST = 900  # message at which one is killed
WAITS = (50, 400)  # messages after which a recorder brings all into the file, without more calls
DEADLINE = 240.0  # s


def record(directory: Path, counts: memoryview) -> None:
    """Record messages for ever; note how many are written, and how many are in the file."""
    recorder = Recorder(directory, metadata={'scenario': 'name: x'})
    recorder.write('/scenario', SCENARIO, 1, b'first')
    while True:
        k = counts[0]
        recorder.write('/robot_0/rab_data', RAB_DATA, k + 1, payloads[k % 17])
        counts[0] += 1
        if counts[0] in WAITS:
            with recorder._changed:
                assert recorder._changed.wait_for(
                    lambda: not (recorder._open.records or recorder._queue), DEADLINE)
            counts[1] = counts[0]
        time.sleep(0.001)


if __name__ == '__main__':
    directory, count, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    choose = random.Random(seed)
    payloads = [choose.randbytes(choose.randrange(8, 3000)) for _ in range(17)]
    for topic in (SCENARIO, RAB_DATA):  # else each child would work this out first
        _definition(topic.type), _type_hash(topic.type)
    results = []
    for first in range(0, count, AT_ONCE):
        children = []
        for number in range(first, min(first + AT_ONCE, count)):
            counts = memoryview(mmap.mmap(-1, 16)).cast('q')
            pid = os.fork()
            if pid == 0:
                try:
                    record(directory / str(number), counts)
                finally:
                    os._exit(1)
            children.append((number, pid, counts, choose.randrange(LATEST)))
        children.sort(key=lambda child: child[3])
        end = time.monotonic() + DEADLINE
        while children:
            number, pid, counts, last = children[0]
            while counts[0] < last and time.monotonic() < end:
                time.sleep(0.0005)
            os.kill(pid, signal.SIGKILL)
            ended = os.waitpid(pid, 0)[1]
            del children[0]
            results.append({'bag': str(directory / str(number)), 'written': counts[0],
                            'kept': counts[1], 'killed': ended == signal.SIGKILL
                            and counts[0] >= last})
    print(json.dumps({'results': results, 'payloads': [p.hex() for p in payloads]}))
