"""Sensors, one module each with a SENSOR; ``sensors.registry`` finds them."""
