"""What a command's exit code means, the same for all commands."""

GOOD = 0
DIFFERS = 1
BAD_INPUT = 2
SOME_FAILED = 3
NOT_ENOUGH = 4
CRASHED = 70
"""A defect of fieldwise, never a verdict on documents; the number is that of internal errors in ``sysexits.h``."""
STOPPED = 128
"""With the number of the signal added: 129 SIGHUP, 130 Ctrl-C, 143 SIGTERM, as shells say of other programs."""
PIPE_CLOSED = 141
"""Whoever read the output left early, as ``head`` does; what shells say of other programs then."""

EPILOG = (
    "Exit codes: 0 good · 1 differs, worse, below a limit · 2 bad input or setting, or out of disk or memory · "
    "3 finished, some documents failed or had unreadable predictions · 4 not enough documents to decide · "
    "70 a defect of fieldwise · 129, 130, 143 stopped by a signal · 141 the output was closed."
)
