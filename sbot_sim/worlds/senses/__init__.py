"""Sensors that compiled phases simulate, one module each with a SIMULATED."""
