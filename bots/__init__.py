"""The shipped bots: ordinary bots under the same protocol as anybody's.

To add one, write a class with `act` (see `uniform.py`, the shortest) and add its line to
`arena.registry`; or leave it where it is and name its file in a configuration.
"""
