"""ARGoS experiment files (.argos) as scenarios."""
