"""Pictures and films of a run (matplotlib)."""
