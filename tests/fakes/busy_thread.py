"""Has a thread compute while it sleeps."""

import threading
import time


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        threading.Thread(target=spin, daemon=True).start()
        time.sleep(1000)


def spin():
    while True:
        pass
