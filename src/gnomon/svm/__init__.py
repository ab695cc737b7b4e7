"""Support vector machines and other models that are a sum of kernels at training rows."""

__all__: list[str] = []
