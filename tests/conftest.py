"""Laws are checked on the same examples in every run, or on new ones where ``FIELDWISE_LAWS=explore`` asks for them.

``make test`` says the same of the same source on every machine; ``make laws`` looks for what nobody has seen yet.
No example fails for being slow.
"""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("explore", print_blob=True, deadline=None)
settings.load_profile(os.environ.get("FIELDWISE_LAWS", "same"))
