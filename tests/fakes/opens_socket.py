"""Talks to the network, and plays the last move if there is one."""

import socket


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        try:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as talk:
                talk.connect(("192.0.2.1", 9))
        except OSError:
            return turn.legal[0]
        return turn.legal[-1]
