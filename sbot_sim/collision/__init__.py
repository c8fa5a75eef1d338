"""Collision detection and response: no two bodies overlap after a step."""
