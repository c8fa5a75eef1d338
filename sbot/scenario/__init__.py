# SPDX-License-Identifier: Apache-2.0
"""Scenarios: load, validate, and convert to simulation parameters."""
