"""From commands and wind to the next pose."""
