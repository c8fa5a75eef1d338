"""When Fast2D says that it compiles."""

import subprocess
import sys

PLAY = """
from sbot_sim.fast2d.c_exports import load_compiled
load_compiled()
"""


def said():
    done = subprocess.run([sys.executable, '-c', PLAY], capture_output=True, text=True,
                          timeout=300, check=True)
    return done.stderr


def test_a_start_that_compiles_nothing_says_nothing_however_slow_it_is():
    said()  # fills the cache, where nobody has yet
    assert said() == ''
