"""One browser for all tests of the page."""

from collections.abc import Iterator

import pytest

from tests.hydranoc.report.browser import PROGRAMS, Browser


@pytest.fixture(scope="session")
def browser(require_program, require_package) -> Iterator[Browser]:
    program = require_program(*PROGRAMS)
    require_package("websocket")
    with Browser(program) as opened:
        yield opened
