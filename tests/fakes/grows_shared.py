"""Takes memory that could be shared with other processes, and waits."""

import mmap
import time


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        hoard = mmap.mmap(-1, 128 << 20)
        for _ in range(128):
            hoard.write(bytes(1 << 20))
        time.sleep(1000)
