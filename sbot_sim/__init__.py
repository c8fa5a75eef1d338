# SPDX-License-Identifier: Apache-2.0
"""The 2D world: motion, collisions, sensors, impulses (documents 002, 000, 004)."""
