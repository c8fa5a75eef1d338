"""A package with entry points, installed in a folder for a while."""

import contextlib
import importlib
import sys


@contextlib.contextmanager
def installed_package(folder, name, group, points, *caches):
    """Have a folder's package installed; forget its modules and the caches of entry points."""
    info = folder / f'{name}-1.0.dist-info'
    info.mkdir()
    (info / 'METADATA').write_text(f'Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n')
    (info / 'entry_points.txt').write_text('\n'.join(
        [f'[{group}]', *(f'{point} = {what}' for point, what in points.items()), '']))
    before = list(sys.path)
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    for cache in caches:
        cache.cache_clear()
    try:
        yield folder
    finally:
        sys.path[:] = before
        for forget in (*(cache.cache_clear for cache in caches),
                       *(lambda file=file: sys.modules.pop(file.stem, None)
                         for file in folder.glob('*.py'))):
            forget()
