"""The command `sbot`: argument parsers, and nothing else."""
