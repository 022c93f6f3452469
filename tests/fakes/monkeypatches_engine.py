"""Makes every move legal and every clock slow."""

import time

from arena import player
from arena.games import kuhn


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        kuhn.Kuhn.legal = lambda self, state: (99,)
        time.perf_counter = lambda: 0.0
        time.process_time = lambda: 0.0
        player.Clock.charge = lambda self, seconds: None
        player.perf_counter = lambda: 0.0
        return 99
