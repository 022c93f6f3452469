"""Asks the operator."""


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        return int(input("your move? "))
