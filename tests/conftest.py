"""Laws are checked on the same examples in every run, or on new ones where ``FIELDWISE_LAWS=explore`` asks for them.

``make test`` says the same of the same source on every machine; ``make laws`` looks for what nobody has seen yet, on
three times as many examples (``strategies.examples``) in each of its rounds.
No example fails for being slow, nor does making one up: how busy a machine is says nothing about the source.

Temporary folders are in memory where there is plenty: evaluations wait for the disk after every file, tests need not.
"""

from __future__ import annotations

import os
import shutil
import tempfile

from hypothesis import HealthCheck, settings

SLOW = [HealthCheck.too_slow]
settings.register_profile("same", derandomize=True, deadline=None, max_examples=34, suppress_health_check=SLOW)
settings.register_profile("explore", print_blob=True, deadline=None, suppress_health_check=SLOW)
settings.load_profile(os.environ.get("FIELDWISE_LAWS", "same"))

MEMORY = "/dev/shm"
ENOUGH = 4 << 30
if "TMPDIR" not in os.environ and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ENOUGH:
    os.environ["TMPDIR"] = MEMORY
    tempfile.tempdir = None
