"""Two bots, a hidden base and a factory: which one is meant has to be said."""


class _Base:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        return turn.legal[0]


class Bold(_Base):
    pass


class Timid(_Base):
    pass


def make(game, seat, seed, *, bold: bool = True):
    return Bold(game, seat, seed) if bold else Timid(game, seat, seed)
