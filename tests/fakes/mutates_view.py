"""Overwrites everything it was given."""


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        legal = turn.legal[0]
        turn.view.record[:] = 0
        object.__setattr__(turn.view, "record", None)
        return legal
