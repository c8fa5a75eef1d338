"""Reading of files and text from anywhere, within limits."""
