"""The browser view: a page of a recording, or a live run."""
