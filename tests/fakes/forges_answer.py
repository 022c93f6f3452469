"""Has its process answer with a move that is not legal."""

from arena import player


class Bot:
    def __init__(self, game, seat, seed):
        player.InProcess.answer = lambda self, turn: 99

    def act(self, turn):
        return turn.legal[0]
