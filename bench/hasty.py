"""As little as a bot can do, for what it costs to ask one."""


class Hasty:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        return turn.legal[-1]
