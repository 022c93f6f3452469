"""Fails while it is imported."""

WEIGHTS = {}["owl"]
