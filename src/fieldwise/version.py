"""The version of fieldwise, which decides with a spec's fingerprint what a number means."""

__version__ = "0.1.0"
