"""Modules that are loaded by the path of their file."""

import importlib.util
import sys


def load(path):
    """Return a module that tests can import by its name from now on."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
