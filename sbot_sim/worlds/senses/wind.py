"""Wind sensor of a block of worlds: the effective wind, with the push of forces."""

from __future__ import annotations

from sbot_sim.worlds.air import add_forces
from sbot_sim.worlds.senses.record import Simulated

SIMULATED = Simulated('wind', {'wind': 'observed_wind'}, in_wind=lambda _: [add_forces])
