"""Figures and animations of a run (matplotlib)."""
