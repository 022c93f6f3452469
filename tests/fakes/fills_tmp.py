"""Fills the folder for temporary files, after printing what is there. For sandboxes only!"""

from pathlib import Path


class Bot:
    def __init__(self, game, seat, seed):
        assert Path("/proc/1/comm").read_text() == "bwrap\n"

    def act(self, turn):
        print(sorted(path.name for path in Path("/tmp").iterdir()))
        folder = Path("/tmp/hoard/of/mine")
        folder.mkdir(parents=True)
        for number in range(1000):
            (folder / str(number)).write_bytes(bytes(1 << 20))
        return turn.legal[0]
