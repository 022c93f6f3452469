"""Exits while it is imported."""

raise SystemExit(0)
