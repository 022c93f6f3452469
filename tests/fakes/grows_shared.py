"""Takes memory that could be shared with other processes, and waits."""

import mmap
import time


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        hoard = mmap.mmap(-1, 1 << 30)
        for page in range(0, len(hoard), 1 << 12):
            hoard[page] = 1
        time.sleep(1000)
