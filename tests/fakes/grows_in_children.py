"""Has ten processes that each take a part of the memory, and waits."""

import os
import time


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        for _ in range(10):
            if not os.fork():
                hoard = bytearray(16 << 20)
                hoard[::4096] = bytes(len(hoard[::4096]))
                time.sleep(1000)
        time.sleep(1000)
