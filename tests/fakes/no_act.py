"""Its class lacks the method `act`."""


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def move(self, turn):
        return turn.legal[0]
