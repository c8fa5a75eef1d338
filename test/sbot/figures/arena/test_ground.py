from matplotlib.figure import Figure
from matplotlib.quiver import Quiver

from sbot.figures.arena.ground import draw_arena, draw_world


def winds(axes):
    return [each for each in axes.collections if isinstance(each, Quiver)]


def test_the_world_has_no_wind_and_the_arena_has_both(data):
    world, arena = Figure().add_subplot(), Figure().add_subplot()
    draw_world(world, data)
    draw_arena(arena, data)
    assert world.get_xlim() == arena.get_xlim() == (0.0, 16.0)
    assert not winds(world)
    assert len(winds(arena)) == 1
    assert len(arena.collections) > len(world.collections) > 3
