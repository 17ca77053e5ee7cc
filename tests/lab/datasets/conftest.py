"""Files of a user, and a server to download from."""

import pytest
from lab.datasets.server import running_server


@pytest.fixture
def write(tmp_path):
    def written(name, text):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return written


@pytest.fixture
def server(monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with running_server() as server:
        yield server
