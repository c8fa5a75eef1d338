"""Sensors, a module each with a SENSOR, found by being there (``sensors.registry``)."""
