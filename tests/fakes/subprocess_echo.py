"""Has another program print."""

import subprocess


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        subprocess.run(["echo", "from a child"], check=True)
        return turn.legal[0]
