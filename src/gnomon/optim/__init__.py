"""Optimisation: pure functions from nouns and arrays to a `Solution`. They know no estimator."""
