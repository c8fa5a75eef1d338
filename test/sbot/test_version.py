"""A text of /scenario tells which version made it."""

from sbot.version import THIS, Maker, maker_of, signed


def test_a_signed_text_tells_what_made_it():
    assert maker_of(signed('name: x\n')) == THIS
    assert maker_of(signed('').replace(THIS.version, '0.9.1rc2')) == Maker(
        '0.9.1rc2', THIS.random_numbers)


def test_of_a_text_without_signature_the_numbers_are_not_ours():
    assert maker_of('name: x\n').version == 'before 0.2.0'
    assert not maker_of('name: x\n').draws_ours
