# SPDX-License-Identifier: Apache-2.0
"""Benchmark: the standard workload, and other simulators on the same scene."""
