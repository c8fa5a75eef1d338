"""Many independent worlds stepped in one compiled call; world k equals a run of it alone."""
