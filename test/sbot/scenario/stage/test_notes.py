"""Notes on a world file: each once, with its line; what changes nothing is not named."""

from pathlib import Path

from sbot.scenario.stage.entities import parse_entities
from sbot.scenario.stage.notes import Notes
from sbot.scenario.stage.tokens import read_tokens

TEXT = 'model ( color "red" size [1 1 1]\nwarp 2 ctrl "x" )\nmodel ( warp 3 )'


def test_what_has_no_effect_is_named_once_with_its_line(caplog):
    notes = Notes()
    for model in parse_entities(read_tokens(TEXT.encode(), Path('x.world')), 'x.world').children:
        notes.unknown(model, 'size')
    said = [record.getMessage() for record in caplog.records]
    assert said[0] == 'x.world:2: warp of model is not supported and has no effect'
    assert said[1].startswith('x.world:2: ctrl is not supported')
    assert len(said) == 2
