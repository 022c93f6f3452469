"""Writes a file that never ends."""

import tempfile


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        with tempfile.TemporaryFile() as file:
            for _ in range(4096):
                file.write(bytes(1 << 20))
        return turn.legal[0]
