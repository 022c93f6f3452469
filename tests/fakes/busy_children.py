"""Lets one child after another compute, none for long."""

import os
import time


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        for _ in range(6):
            child = os.fork()
            if not child:
                while time.process_time() < 0.08:
                    pass
                os._exit(0)
            os.waitpid(child, 0)
        return turn.legal[0]
