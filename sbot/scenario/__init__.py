"""Scenarios: from text to frozen, checked models and to simulation parameters."""
