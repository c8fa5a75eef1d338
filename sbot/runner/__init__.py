"""The in-process run of a scenario, and what is counted on the way."""
