"""What ``import sbot`` gives; ``sbot/__init__.py`` imports each when it is first used."""
