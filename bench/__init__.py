"""Reproducible benchmarks: `make bench`."""
