"""Navigation behaviours of the library navground as controllers by name: ``navground:ORCA``."""
