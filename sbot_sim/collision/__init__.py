# SPDX-License-Identifier: Apache-2.0
"""Collision detection and response: no two bodies overlap after a step."""
