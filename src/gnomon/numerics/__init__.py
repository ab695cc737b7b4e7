"""Numerics: validation, weights, design matrices, linear algebra, parallel work, random numbers, streaming sums."""
