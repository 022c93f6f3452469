"""Has a process of another session compute all the time, so in its rivals' turns too."""

import os


class Bot:
    def __init__(self, game, seat, seed):
        if not os.fork():
            os.setsid()
            while True:
                pass

    def act(self, turn):
        return turn.legal[0]
