"""True velocity of the robots of a block of worlds; ``Tick`` computes it for all sensors."""

from __future__ import annotations

from sbot_sim.worlds.senses.record import Simulated

SIMULATED = Simulated('twist', {'twist': 'twist'})
