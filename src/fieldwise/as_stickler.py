"""``import fieldwise.as_stickler`` lets code that was written for stickler-eval 1.0.0 run with its own imports.

It serves stickler's modules, deep ones too, from here; what has no counterpart is an ImportError that says what to use.
"""

from __future__ import annotations

import enum
import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from fieldwise.compare import NonMatchType
from fieldwise.errors import NotServedError
from fieldwise.migration.names import HOME_OF, MODULES, why_unserved


class _Finder(MetaPathFinder, Loader):
    """Finds and makes the modules of stickler."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a module of stickler; None for modules of others."""
        if fullname in MODULES:
            return ModuleSpec(fullname, self, is_package=True)
        if fullname.startswith("stickler."):
            _refuse(fullname)
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Give a module its names, each of which is imported when it is first asked for."""
        here = module.__name__

        def find(name: str) -> Any:
            if f"{here}.{name}" in MODULES:
                return importlib.import_module(f"{here}.{name}")
            if name not in MODULES[here]:
                _refuse(f"{here}.{name}")
            if name not in HOME_OF:
                raise AttributeError(f"module {here!r} has no attribute {name!r}")
            home, own = HOME_OF[name]
            value = getattr(importlib.import_module(home), own)
            setattr(module, name, value)
            return value

        vars(module).update(__getattr__=find, __all__=list(MODULES[here]))


def _refuse(path: str) -> None:
    """Raise for what is known not to be served."""
    reason = why_unserved(path)
    if reason is not None:
        facts = {"name": path, "reason": reason}
        raise NotServedError(f"{path} is not served by fieldwise.as_stickler: {reason}", facts=facts)


def _install() -> None:
    if "stickler" in sys.modules:
        raise NotServedError(
            "stickler is imported already; put `import fieldwise.as_stickler` before the first import of stickler",
            code="import.stickler_loaded",
            facts={"file": getattr(sys.modules["stickler"], "__file__", None)},
        )
    sys.meta_path.insert(0, _Finder())
    for method in ("__str__", "__format__"):  # printed as stickler prints it; in JSON it is its value as before
        setattr(NonMatchType, method, getattr(enum.Enum, method))


_install()
