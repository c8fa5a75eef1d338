"""Whether a recording has begun: a run that ends before its first tick leaves none."""

from sbot.bag.reader import Bag
from sbot_common.errors import InputError


def has_begun(bag):
    try:
        return any(True for _ in Bag(bag, partly=True).messages())
    except InputError:  # not there yet
        return False
