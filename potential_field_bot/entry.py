# SPDX-License-Identifier: Apache-2.0
"""Entry point of the command ``sbot``; it detects another project's module of that name.

PyPI has a project ``sbot``, a school's robot kit. pip installs both into one folder, and the one
that came last has written ``sbot/__init__.py``. Theirs looks for hardware when it is imported.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

_MARK = 'Wind-blown robot swarms'  # at the beginning of our module


def main() -> int:
    """Run the command ``sbot``; return its exit code, 2 where its module is not ours."""
    spec = find_spec('sbot')  # imports nothing
    path = Path(spec.origin or '') if spec is not None else Path()
    if not path.is_file() or _MARK not in path.read_text('utf-8', 'replace')[:200]:
        print(f'sbot: {path} belongs to another project named sbot; uninstall it (pip uninstall '
              'sbot), and install potential_field_bot again', file=sys.stderr)
        return 2
    return int(import_module('sbot.cli.main').main())
