"""``python -m gnomon`` is the command ``gnomon``."""

from __future__ import annotations

from gnomon.cli import main

if __name__ == "__main__":
    main()
