"""The controller ``navigate``: leader and followers that plan on what their lasers have seen."""
