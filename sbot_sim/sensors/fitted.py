"""Sensors that robots are fitted with and records simulate: memories and readings of a tick.

``fitted`` are the settings of those sensors by name, ``SensorParameters.fitted``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from sbot_sim.sensors.record import Array, Kernel, Motion, View
from sbot_sim.sensors.registry import sensors

Fitted = Mapping[str, Any]


def _kernels(fitted: Fitted) -> Iterator[tuple[str, Any, Kernel]]:
    for name, settings in fitted.items():
        kernel = sensors()[name].kernel
        if kernel is not None:
            yield name, settings, kernel


def first_memories(fitted: Fitted, view: View) -> dict[str, Array]:
    """Return what sensors know at tick 0, by name; what is drawn once is drawn here."""
    return {name: kernel.start(settings, view) for name, settings, kernel in _kernels(fitted)
            if kernel.start is not None}


def next_memories(fitted: Fitted, memories: Mapping[str, Array], before: Motion,
                  view: View) -> dict[str, Array]:
    """Return what sensors know after a tick, by name."""
    return {name: memories[name] if kernel.remember is None else kernel.remember(
                settings, before, view, memories[name])
            for name, settings, kernel in _kernels(fitted) if name in memories}


def read_all(fitted: Fitted, view: View, memories: Mapping[str, Array]) -> dict[str, Array]:
    """Return the readings (R, columns) of each sensor, by name."""
    nothing = np.zeros((len(view.pose), 0))
    return {name: kernel.read(settings, view, memories.get(name, nothing))
            for name, settings, kernel in _kernels(fitted)}
