"""Scenarios: load, validate, and convert to simulation parameters."""
