def move(turn):
    return turn.legal[0]
