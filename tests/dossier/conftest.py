"""A model of each kind of loss, and a folder to write to."""

import pytest
from report.models import KINDS, fitted


@pytest.fixture(params=KINDS)
def example(request):
    return fitted(request.param)


@pytest.fixture
def binary():
    return fitted("binary")


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "dossier"
