"""``python -m gnomon`` is the command ``gnomon``."""

from gnomon.cli import main

if __name__ == "__main__":
    main()
