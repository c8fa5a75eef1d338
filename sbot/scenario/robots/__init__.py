"""Places and headings of robots, drawn from distributions."""
