"""Phases of a tick: compiled functions of a batch of worlds; world k equals it alone."""
