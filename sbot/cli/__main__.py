# SPDX-License-Identifier: Apache-2.0
"""``python -m sbot.cli``: the command `sbot`."""

import sys

from sbot.cli.main import main

if __name__ == '__main__':
    sys.exit(main())
