"""Answers with a move that was legal at its last decision and no longer is, once there is one."""


class Bot:
    def __init__(self, game, seat, seed):
        self.before = ()

    def act(self, turn):
        stale = sorted(set(self.before) - set(turn.legal))
        self.before = turn.legal
        return stale[0] if stale else turn.legal[0]
