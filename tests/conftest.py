"""Laws are checked on the same examples in every run, or on new ones where ``FIELDWISE_LAWS=explore`` asks for them.

``make test`` says the same of the same source on every machine; ``make laws`` looks for what nobody has seen yet.
No example fails for being slow, nor does making one up: how busy a machine is says nothing about the source.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

SLOW = [HealthCheck.too_slow]
settings.register_profile("same", derandomize=True, deadline=None, suppress_health_check=SLOW)
settings.register_profile("explore", print_blob=True, deadline=None, suppress_health_check=SLOW)
settings.load_profile(os.environ.get("FIELDWISE_LAWS", "same"))
