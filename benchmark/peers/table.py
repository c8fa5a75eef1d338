"""Other simulators beside this one, in turn on one machine: writes standard_peers.csv.

    python benchmark/peers/table.py --peer-python PYTHON
        [--compiled Enki VERSION FLAGS] [--compiled Stage ...] [--compiled ARGoS ...]

ir-sim, navground and VMAS are packages of the Python that is named. Enki, Stage and ARGoS are
libraries that are installed; FLAGS tell g++ where their headers and libraries are. Each number is
the median of three rounds, ours and theirs in turn; processor time of one thread.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path

from sbot.cli.bench import write_table

sys.path.append(str(Path(__file__).parent))
from peers import SIZES, Compiled, run_peers, run_vmas_beside

CSV = Path(__file__).parents[1] / 'standard_peers.csv'


def main() -> int:
    """Measure and write the table."""
    parser = argparse.ArgumentParser(allow_abbrev=False,
                                     description='Other simulators on the standard scene.')
    parser.add_argument('--robots', type=int, nargs='+', default=SIZES)
    parser.add_argument('--seconds', type=float, default=3.0, help='for each number and round')
    parser.add_argument('--peer-python', default=sys.executable, help='one that has the packages')
    parser.add_argument('--compiled', nargs=3, action='append', default=[],
                        metavar=('NAME', 'VERSION', 'FLAGS'))
    parser.add_argument('--csv', type=Path, default=CSV)
    arguments = parser.parse_args()
    compiled = [Compiled(name, version, tuple(shlex.split(flags)))
                for name, version, flags in arguments.compiled]
    found = run_peers(sorted(arguments.robots), arguments.seconds, print, arguments.peer_python,
                      compiled)
    found += run_vmas_beside(arguments.seconds, print, arguments.peer_python)
    if found:
        write_table(arguments.csv, found)
    return 0


if __name__ == '__main__':
    sys.exit(main())
