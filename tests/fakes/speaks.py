"""A program that plays by the protocol for programs, or breaks it: `speaks.py [HOW]`.

It needs nothing but Python and answers with the first legal move.
"""

import json
import os
import sys
import time


def main(how="well"):
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "start":
            start(how)
        elif message["type"] == "turn":
            answer(how, message["legal"][0]["id"])
        else:
            print(json.dumps(message), file=sys.stderr)


def start(how):
    if how == "never ready":
        time.sleep(1000)
    say({"type": "hello" if how == "not ready" else "ready"})


def answer(how, move):
    match how:
        case "junk":
            print("hello", flush=True)
        case "a list":
            say([move])
        case "brackets":
            print("[" * 60_000, flush=True)
        case "no line":
            sys.stdout.write(json.dumps({"id": move}))
            sys.stdout.flush()
            time.sleep(1000)
        case "drops":
            while True:
                os.write(1, b" ")
                time.sleep(0.02)
        case "a long line":
            print(" " * 100_000, flush=True)
        case "exits":
            sys.exit(7)
        case "sleeps":
            time.sleep(1000)
        case "hangs up":
            os.closerange(0, 2)
            time.sleep(1000)
        case "two answers":
            print('{"id": 0}\n{"id": 1}', flush=True)
        case "wrong id":
            say({"id": 99})
        case "text":
            say({"id": str(move)})
        case "float":
            say({"id": float(move)})
        case "bool":
            say({"id": bool(move)})
        case "more":
            say({"id": move, "note": "sure", "value": [0.5], "type": "move"})
        case "leaves":
            say({"id": move})
            sys.exit()
        case _:
            say({"id": move})


def say(message):
    print(json.dumps(message), flush=True)


main(*sys.argv[1:])
