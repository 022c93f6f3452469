"""Takes a megabyte more and more."""


class Bot:
    def __init__(self, game, seat, seed):
        self.hoard = []

    def act(self, turn):
        while True:
            self.hoard.append(bytearray(1 << 20))
