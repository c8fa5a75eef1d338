"""Robot motion: differential drive, impulses, wind."""
