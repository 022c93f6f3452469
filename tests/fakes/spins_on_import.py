"""Never gets imported, and uses all the processor time it gets."""

while True:
    pass


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        return turn.legal[0]
