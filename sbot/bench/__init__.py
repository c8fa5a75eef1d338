"""Benchmark: the standard workload, and other simulators on the same scene."""
