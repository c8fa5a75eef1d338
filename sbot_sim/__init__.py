"""The 2D world: motion, collisions, sensors, impulses (documents 002, 000, 004)."""
