"""The standard workload, measured beside other simulators."""
