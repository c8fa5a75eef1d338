"""Controllers by name: those that are shipped, those of installed packages, and the user's own."""
