"""What a command's exit code means, the same for all commands."""

GOOD = 0
DIFFERS = 1
BAD_INPUT = 2
SOME_FAILED = 3
NOT_ENOUGH = 4
INTERRUPTED = 130
PIPE_CLOSED = 141
"""Whoever read the output left early, as ``head`` does; what shells say of other programs then."""

EPILOG = (
    "Exit codes: 0 good · 1 differs, worse, below a limit · 2 bad input or setting · "
    "3 finished, some documents failed or had unreadable predictions · 4 not enough documents to decide."
)
