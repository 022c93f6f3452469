"""Changes how its processes make themselves known."""

import __main__ as host

host._say_hello = lambda channel: channel.send(b"it is me")


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        return turn.legal[0]
