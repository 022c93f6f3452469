"""Makes a file of a terabyte."""

import tempfile


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        with tempfile.TemporaryFile() as file:
            file.seek(1 << 40)
            file.write(b"x")
        return turn.legal[0]
