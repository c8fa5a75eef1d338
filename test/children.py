"""Children of this interpreter, with their output as text."""

import subprocess
import sys


def python(*words, timeout=900.0, **options):
    """Return what a child that was given these words has done."""
    return subprocess.run([sys.executable, *map(str, words)], capture_output=True, text=True,
                          check=False, timeout=timeout, **options)


def run_sbot(*words, **options):
    """Return what `sbot` with these words has done."""
    return python('-m', 'sbot.cli', *words, **options)


def passed(*words, **options):
    """Return what a child that ended well has printed."""
    done = python(*words, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
