"""The page about evaluating says everything that the command and its tables have."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from fieldwise.cli.evaluate import evaluate
from fieldwise.tables.documents import DOCUMENTS
from fieldwise.tables.verdict_columns import REASONS, VERDICTS

PAGE = (Path(__file__).parents[2] / "docs" / "evaluate.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [*VERDICTS.names, *DOCUMENTS.names, *filter(None, REASONS)])
def test_every_column_is_explained(name: str) -> None:
    """Each column of the tables, and each reason, is named."""
    assert f"`{name}`" in PAGE


@pytest.mark.parametrize("option", [o.opts[0] for o in evaluate.params if isinstance(o, click.Option)])
def test_every_option_is_explained(option: str) -> None:
    """Each option of the command is named."""
    assert option in PAGE
