"""The command `sbot`: argument parsers."""
