"""An example of a robot's own software, driven in lockstep."""
