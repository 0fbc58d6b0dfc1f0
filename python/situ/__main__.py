"""``python -m situ`` is the command ``situ``."""

import sys

from situ._cli import main

if __name__ == "__main__":
    sys.exit(main())
