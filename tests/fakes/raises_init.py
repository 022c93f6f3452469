"""Cannot be built."""


class Bot:
    def __init__(self, game, seat, seed):
        raise ValueError(f"no weights for seat {seat}")

    def act(self, turn):
        return turn.legal[0]
