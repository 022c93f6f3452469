"""Counts its matches in a global variable and plays the last move from the second on."""

matches = []


class Bot:
    def __init__(self, game, seat, seed):
        matches.append(seed)

    def act(self, turn):
        return turn.legal[-1] if len(matches) > 1 else turn.legal[0]
