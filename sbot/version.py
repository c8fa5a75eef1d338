# SPDX-License-Identifier: Apache-2.0
"""The package's version, and how a recording tells what made it."""

from __future__ import annotations

import re
from typing import NamedTuple

from sbot_common.random import SOURCE

VERSION = '0.2.0'  # setup.py reads this line

# The first line of /scenario: a comment of YAML.
_SIGNATURE = '# made by potential_field_bot {}, random numbers: {}\n'
_PATTERN = re.compile(_SIGNATURE.format(r'([^\s,]{1,40})', r'([^\n]{1,80})'))


class Maker(NamedTuple):
    """What made a recorded run."""

    version: str  # of this package
    random_numbers: str  # their generator

    def __str__(self) -> str:
        return f'version {self.version} (random numbers: {self.random_numbers})'

    @property
    def draws_ours(self) -> bool:
        """Whether its random numbers are those of this version."""
        return self.random_numbers == SOURCE

    @classmethod
    def of(cls, text: str) -> Maker:
        """Return what signed a text of ``/scenario``; versions before 0.2.0 did not."""
        found = _PATTERN.match(text)
        return cls(*found.groups()) if found else cls('before 0.2.0', 'unknown')


THIS = Maker(VERSION, SOURCE)


def signed(scenario: str) -> str:
    """Return the text of ``/scenario``, which tells what made the run in bags of any recorder."""
    return _SIGNATURE.format(*THIS) + scenario
