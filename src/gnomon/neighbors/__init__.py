"""Models of similarity to stored points: nearest neighbours, landmarks, networks of radial functions."""

__all__: list[str] = []
