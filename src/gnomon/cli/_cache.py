"""`gnomon cache`: where compiled kernels are kept, how large they are, and how to delete them."""

from __future__ import annotations

from rich.console import Console

from gnomon._jit import MISSING, kernel_cache

__all__ = ["run"]


def run(*, clear: bool) -> None:
    """Print the state of the cache, or empty it."""
    console = Console(highlight=False, soft_wrap=True)
    if clear:
        console.print(f"{kernel_cache.clear(kernel_cache.folder())} kernels deleted from {kernel_cache.folder()}")
        return
    sizes = [state.st_size for _, state in kernel_cache.entries(kernel_cache.folder())]
    console.print(f"{len(sizes)} kernels, {sum(sizes) / 1e6:.1f} MB, in {kernel_cache.folder()}")
    console.print("Those not used for 90 days are deleted; NUMBA_CACHE_DIR names another folder.")
    if shipped := list(kernel_cache.entries(kernel_cache.SHIPPED)):
        console.print(f"{len(shipped)} more came with the package.")
    if missing := MISSING:
        console.print(f"None is read or written: this release of Numba lacks {', '.join(missing)}.")
