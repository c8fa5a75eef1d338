"""The fixed world and the robots' bodies, and spatial look-up of both."""
