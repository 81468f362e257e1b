"""``python -m fieldwise`` is the same as ``fieldwise``."""

from fieldwise.cli import main

main()
