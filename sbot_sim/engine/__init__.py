# SPDX-License-Identifier: Apache-2.0
"""Simulation of many worlds, and of one for the in-process run and the node."""
