def first(turn):
    return turn.legal[0]
