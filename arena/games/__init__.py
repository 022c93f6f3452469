"""The games, one module each.

To add one, copy the nearest (`kuhn.py` is the smallest, `cubirds.py` the model for card games with
hands, piles and reshuffles), and add its line to `arena.registry`. The shared tests find it there.
"""
