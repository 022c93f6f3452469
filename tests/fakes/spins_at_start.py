"""Never gets built, and uses all the processor time it gets."""


class Bot:
    def __init__(self, game, seat, seed):
        while True:
            pass

    def act(self, turn):
        return turn.legal[0]
