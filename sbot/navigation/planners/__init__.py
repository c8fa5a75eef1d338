# SPDX-License-Identifier: Apache-2.0
"""Planners that the benchmark compares with; each drives one robot by what it has seen."""
