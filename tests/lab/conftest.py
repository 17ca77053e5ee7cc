"""Run files of a user."""

import pytest

from sorb.lab.run_file import load_configuration


@pytest.fixture
def load(tmp_path):
    def load(text, name="mine.toml"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return load_configuration(path)

    return load
