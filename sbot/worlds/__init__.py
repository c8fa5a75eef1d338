"""One world or thousands, stepped from Python or by compiled policies."""
