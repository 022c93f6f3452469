"""Starts 500 threads, and waits."""

import threading
import time


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        threading.stack_size(1 << 16)
        for _ in range(500):
            threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
        time.sleep(1000)
