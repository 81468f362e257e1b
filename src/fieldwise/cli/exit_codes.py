"""What a command's exit code means, the same for all commands."""

GOOD = 0
DIFFERS = 1
BAD_INPUT = 2
