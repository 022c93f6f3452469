"""Starts a thread that computes as soon as it is imported."""

import threading


def spin():
    while True:
        pass


threading.Thread(target=spin, daemon=True).start()


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        return turn.legal[0]
