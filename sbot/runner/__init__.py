"""The in-process run of a scenario: loop, history, summary."""
