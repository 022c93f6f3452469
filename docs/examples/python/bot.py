#!/usr/bin/env python3
"""A bot that is a program of its own: it needs Python and nothing else, arena least of all.

It plays any game of arena, at random among the moves whose texts begin as it likes best. What
it reads and writes stands in docs/protocol.md.
"""

import json
import random
import sys

LIKED = ("fly", "take")


def main():
    chance = random.Random()
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "start":
            chance.seed(message["seed"])
            say({"type": "ready"})
        elif message["type"] == "turn":
            say({"id": choose(message["legal"], chance)})
        elif message["type"] == "end":
            print("places by seat:", message["ranks"], file=sys.stderr)  # kept for `arena log`


def choose(legal, chance):
    liked = [move for move in legal if move["move"].startswith(LIKED)]
    return chance.choice(liked or legal)["id"]


def say(message):
    print(json.dumps(message), flush=True)  # unflushed, it would wait for ever


if __name__ == "__main__":
    main()
