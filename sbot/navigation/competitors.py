"""Names of the benchmark's competitors: a controller, or a command that starts a node."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

PREFIX = 'node: '  # of a command. No module:Class has a space.


def is_node(competitor: str) -> bool:
    """Tell whether a competitor is a command that starts nodes."""
    return competitor.startswith(PREFIX)


def command_of(competitor: str) -> str:
    """Return the command of a competitor that ``is_node``."""
    return competitor.removeprefix(PREFIX)


def short_names(competitors: Iterable[str]) -> dict[str, str]:
    """Return names for a table: of a node's command the file alone, if no other has its name."""
    names = {competitor: competitor for competitor in sorted(competitors)}
    for competitor in filter(is_node, names):
        words = command_of(competitor).split()
        file = next((word for word in words if word.endswith('.py')), [*words, ''][0])
        names[competitor] = PREFIX + Path(file).name
    return {competitor: name if list(names.values()).count(name) == 1 else competitor
            for competitor, name in names.items()}
