"""Plays the first move in the order of a set of words."""


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        words = {f"move {action}": action for action in turn.legal}
        return words[next(iter(set(words)))]
