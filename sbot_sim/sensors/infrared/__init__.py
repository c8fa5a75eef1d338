"""The fifteen infrared proximity sensors of the s-bot (document 002)."""
