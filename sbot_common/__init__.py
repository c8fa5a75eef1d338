"""What all packages share: time, angles, random generators, errors, compilation, messages.

It simulates nothing and controls nothing.
"""
