"""One bot, whose base comes from another file beside it."""

from two_classes import Bold


class Bot(Bold):
    pass
