"""Where a robot can go: obstacles that it remembers, ways, passages and trails."""
