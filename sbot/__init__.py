"""Scenarios, runs, bring-up, record and replay, pictures: the only place to know all packages."""
