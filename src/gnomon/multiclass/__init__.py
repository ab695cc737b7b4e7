"""Multi-class reductions: any two-class learner for any number of classes, and a real "don't know"."""

__all__: list[str] = []
