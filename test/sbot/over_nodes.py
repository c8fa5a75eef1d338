"""A scenario over nodes beside the run in this process."""

import json
import subprocess
import sys

from sbot.bag.compare import compare
from sbot.bag.reader import Bag
from sbot.regression.replay import replay

DEADLINE = 240.0  # s; long, as the first run compiles


def check_nodes(mode, path, recorded, folder):
    """Run a file by `sbot up`, in a mode; check that it equals (run, bag); return its bag."""
    run, bag = recorded
    done = subprocess.run(
        [sys.executable, '-m', 'sbot.cli', *mode.split(), str(path), '--json',
         '--record', str(folder / 'live')], timeout=DEADLINE, capture_output=True, text=True,
        check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)['trajectory_sha256'] == run.summary['trajectory_sha256']
    live = Bag(folder / 'live')
    comparison = compare(bag, live)
    assert comparison.equal, comparison.first
    assert replay(live).equal
    return live
