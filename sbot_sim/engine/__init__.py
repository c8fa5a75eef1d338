"""One tick of a simulation, and the simulation that holds state between ticks."""
