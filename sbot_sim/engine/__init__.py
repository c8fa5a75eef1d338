"""Simulation of many worlds, and of one for the in-process run and the node."""
