"""The models of each kind of loss as fixtures."""

import pytest
from report.models import KINDS, fitted


@pytest.fixture(params=KINDS)
def example(request):
    """A fitted model of each loss, with training and test rows."""
    return fitted(request.param)


@pytest.fixture
def binary():
    return fitted("binary")
