"""A factory that returns no bot."""


def make(game, seat, seed):
    return None
