"""Runs shipped scenarios and draws them for docs/gallery.md: `python docs/make_gallery.py`."""

from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

from sbot.figures.data import from_result
from sbot.figures.picture import plot_run
from sbot.runner.loop import run_scenario
from sbot.scenario.load import load_scenario

FOLDER = Path(__file__).parent / 'gallery'
WIDTH = 1000  # pixels
SCENARIOS = {
    'leader_follower': {},
    'rooms': {},
    'wind_wake': {},
    'sbot_aggregation': {},
}


def draw(name: str, overrides: dict[str, object]) -> Path:
    """Draw one scenario; return the picture's path."""
    data = from_result(run_scenario(load_scenario(name, overrides)))
    path = FOLDER / f'{name}.png'
    with TemporaryDirectory() as folder:
        large = Path(folder) / 'large.png'
        plot_run(data, large)
        save_small(large, path)
    return path


def save_small(large: Path, path: Path, width: int = WIDTH) -> None:
    """Write a picture anew, in fewer pixels, with all colours: tracks are gradients."""
    with Image.open(large) as image:
        height = round(image.height * width / image.width)
        small = image.convert('RGB').resize((width, height), Image.Resampling.LANCZOS)
    small.save(path, optimize=True)


def main() -> None:
    """Draw everything."""
    FOLDER.mkdir(exist_ok=True)
    for name, overrides in SCENARIOS.items():
        path = draw(name, overrides)
        print(f'{path.name}: {path.stat().st_size / 1000:.0f} kB')


if __name__ == '__main__':
    main()
