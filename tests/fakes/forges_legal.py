"""Changes the list of legal moves to its liking."""


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        object.__setattr__(turn, "legal", (99,))
        return 99
