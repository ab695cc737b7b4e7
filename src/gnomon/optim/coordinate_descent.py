"""Coordinate descent (being written)."""


def coordinate_descent(problem, theta, **options):
    """See the module."""
    raise NotImplementedError
