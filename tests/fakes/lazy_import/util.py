def move(turn, text):
    from inner.choice import pick

    return pick(turn, text)
