"""Chromium, once for each module, and pages that are opened in it."""

from importlib.util import find_spec

import pytest
from report.browser.pages import CHROMIUM, HOW_TO, OpenPage, chromium


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None or find_spec("playwright") is None:
        pytest.skip(HOW_TO)
    with chromium() as found:
        yield found


@pytest.fixture
def opened(browser):
    """Open pages; when the test is over, none may have asked for anything or said an error."""
    pages = []

    def open_page(path, **settings):
        pages.append(OpenPage(browser, path, **settings))
        return pages[-1]

    yield open_page
    for page in pages:
        page.close()
