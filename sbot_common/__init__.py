"""Ground that all packages stand on: time, angles, generators, errors, compilation, messages.

Nothing in here knows a robot, a wind or a world.
"""
