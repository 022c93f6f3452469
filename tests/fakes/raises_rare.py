"""Crashes at its n-th decision, in a helper, with a cause."""


class Bot:
    def __init__(self, game, seat, seed, *, after: int = 2):
        self.left = after

    def act(self, turn):
        self.left -= 1
        if self.left < 0:
            self.look_up()
        return turn.legal[0]

    def look_up(self):
        try:
            {}["owl"]
        except KeyError as error:
            raise ValueError("no such bird") from error
