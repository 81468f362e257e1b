"""The browser in which all pages are opened."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One for the tests of all pages; each opens windows of its own."""
    from tests.browser.studio import chromium  # needs playwright, without which no test asks for it

    with chromium() as running:
        yield running
