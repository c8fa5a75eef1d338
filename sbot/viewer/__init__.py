"""Browser viewer: HTML page of a recording, or a live run."""
