"""Stage world files (.world) as scenarios."""
