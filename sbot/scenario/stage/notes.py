"""Notices about parts of a world file that a scenario cannot contain, with file and line."""

from __future__ import annotations

import logging

from sbot.scenario.stage.entities import Entity
from sbot.scenario.stage.tokens import Place

LOG = logging.getLogger(__name__)

# What neither moves a robot nor shows in a scan: windows, drawing, batteries, other sensors' keys.
_QUIET = frozenset((
    'name', 'color', 'color_rgba', 'gui_nose', 'gui_grid', 'gui_outline', 'gui_move',
    'gui_boundary', 'gui_movemask', 'say', 'alwayson', 'stack_children', 'trail_length',
    'trail_interval', 'event_queue', 'debug', 'thread_safe', 'map_resolution', 'fiducial_return',
    'fiducial_key', 'blob_return', 'blobfinder_return', 'gripper_return', 'laser_return',
    'audio_return', 'joules', 'joules_capacity', 'kjoules', 'kjoules_capacity', 'watts',
    'give_watts', 'take_watts', 'mass', 'friction', 'update_interval', 'localization_origin',
    'show_waypoints'))
_QUIET_IN_WORLD = frozenset((
    'name', 'size', 'unit_length', 'unit_angle', 'resolution', 'interval_sim', 'interval_real',
    'quit_time', 'speedup', 'paused', 'threads', 'threadpool', 'show_clock',
    'show_clock_interval', 'gui_disable', 'gui_interval', 'ranger_alwayson'))


class Notes:
    """Notices about a file, each once."""

    def __init__(self) -> None:
        self._texts: set[str] = set()

    def add(self, place: Place, text: str) -> None:
        """Log a warning, once for each text."""
        if text not in self._texts:
            self._texts.add(text)
            LOG.warning('%s: %s', place, text)

    def unknown(self, entity: Entity, *known: str) -> None:
        """Name the properties of an entity that are not known, and those without effect."""
        quiet = _QUIET if entity.kind else _QUIET_IN_WORLD
        for name, given in entity.properties.items():
            if name == 'ctrl':
                self.add(given.place, 'ctrl is not supported: robots stand still until something '
                         'sends cmd_vel, or --set robots.*.controller=...')
            elif name not in quiet and name not in known:
                self.add(given.place, f'{name} of {entity.kind or "the world"} is not supported '
                         'and has no effect')
