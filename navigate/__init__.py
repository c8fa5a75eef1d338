"""The controller ``navigate``: leader and followers that plan on what they have seen."""
