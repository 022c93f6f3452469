"""Never answers, and uses all the processor time it gets."""


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        while True:
            pass
