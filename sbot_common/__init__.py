"""What all packages share: time, angles, random numbers, errors, compilation, messages.

It simulates nothing and controls nothing.
"""
