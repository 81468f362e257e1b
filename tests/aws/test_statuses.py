"""The resolver has statuses of its own, since its files are copied without the package; they are those of fieldwise."""

from __future__ import annotations

from fieldwise.aws import documents
from fieldwise.results.statuses import statuses_of


def test_the_resolver_agrees_on_what_became_of_documents() -> None:
    """Which are left out, and which failed, is one table in the package and the same here."""
    assert set(documents._EXCLUDED) == set(statuses_of("left_out"))
    assert set(documents._FAILED) == set(statuses_of("failed"))
