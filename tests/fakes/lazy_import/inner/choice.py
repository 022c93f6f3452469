def pick(turn, text):
    return turn.legal[int(text)]
