"""A text of /scenario tells which version made it."""

from sbot.version import THIS, Maker, signed


def test_a_signed_text_tells_what_made_it():
    assert Maker.of(signed('name: x\n')) == THIS
    assert Maker.of(signed('').replace(THIS.version, '0.9.1rc2')) == Maker(
        '0.9.1rc2', THIS.random_numbers)


def test_of_a_text_without_signature_the_numbers_are_not_ours():
    assert Maker.of('name: x\n').version == 'before 0.2.0'
    assert not Maker.of('name: x\n').draws_ours
