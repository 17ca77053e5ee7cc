"""A model of each kind of loss, and a folder to write to."""

import pytest
from report.conftest import binary, example

__all__ = ["binary", "example", "folder"]


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "dossier"
