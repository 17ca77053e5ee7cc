"""Downloads, from a real server on this machine that serves well or badly."""

import hashlib
import socket
import sys
from contextlib import closing
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread

import pooch
import pytest
from lab.datasets.cars import CARS

from sorb.lab.datasets import DatasetDamaged, DatasetUnavailable, description, download, fetch, load
from sorb.lab.datasets import is_available as available

TABLE = b"size,kind,label\n" + b"".join(b"%d,a,%d\n" % (i, i % 2) for i in range(2000))
SILENCE = 0
SHA256 = hashlib.sha256(TABLE).hexdigest()


@dataclass
class Server:
    """What is sent for a path: status, content, and how long the content is said to be."""

    address: str
    answers: dict = field(default_factory=dict)
    asked: list = field(default_factory=list)
    over: Event = field(default_factory=Event)

    def serve(self, content=TABLE, status=200, length=None):
        self.answers["/toy.csv"] = (status, content, len(content) if length is None else length)


@pytest.fixture
def server(monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            known.asked.append(self.path)
            status, content, length = known.answers.get(self.path, (404, b"nothing here", 12))
            if status == SILENCE:
                known.over.wait(10)
                return
            self.send_response(status)
            self.send_header("Content-Length", str(length))
            self.end_headers()
            self.wfile.write(content)
            self.close_connection = True

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        known = Server(f"http://127.0.0.1:{running.server_port}")
        thread = Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield known
        known.over.set()
        running.shutdown()
        thread.join()


@pytest.fixture
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("SORB_DATA", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def describe_toy(monkeypatch, tmp_path):
    """Let sorb know a dataset "toy" as if it came with it."""
    monkeypatch.setattr(description, "_FOLDER", tmp_path)

    def describe(address, sha256=SHA256):
        text = f'target = "label"\nfile = "toy.csv"\nurl = "{address}/toy.csv"\n'
        (tmp_path / "toy.toml").write_text(text + (f'sha256 = "{sha256}"\n' if sha256 else ""))

    description.built_in.cache_clear()
    yield describe
    description.built_in.cache_clear()


@pytest.fixture
def toy(server, cache, describe_toy):
    describe_toy(server.address)
    return server


def closed_port():
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        return taken.getsockname()[1]


def test_a_good_file_is_kept_and_asked_for_once(toy, cache):
    toy.serve()
    assert not available("toy")
    assert fetch("toy") == (cache / "toy.csv",)
    assert (cache / "toy.csv").read_bytes() == TABLE
    assert available("toy")
    assert load("toy").X.shape == (2000, 2)
    assert toy.asked == ["/toy.csv"]
    assert [path.name for path in cache.iterdir()] == ["toy.csv"]


def test_a_file_in_the_folder_is_taken_without_asking(toy, cache):
    cache.mkdir()
    (cache / "toy.csv").write_bytes(TABLE)
    assert load("toy").X.shape == (2000, 2)
    assert toy.asked == []


def test_without_the_variable_the_cache_of_the_system_is_used(toy, monkeypatch, tmp_path):
    monkeypatch.delenv("SORB_DATA")
    monkeypatch.setattr(pooch, "os_cache", lambda project: tmp_path / "system" / project)
    toy.serve()
    assert fetch("toy") == (tmp_path / "system" / "sorb" / "toy.csv",)


def test_a_file_without_a_known_checksum_is_taken_as_it_comes(server, cache, describe_toy):
    describe_toy(server.address, sha256="")
    server.serve()
    assert fetch("toy")[0].read_bytes() == TABLE


def test_a_description_of_ones_own_keeps_its_file_beside_it(server, describe_toy, tmp_path):
    describe_toy(server.address)
    server.serve()
    own = tmp_path / "toy.toml"
    assert not available(own)
    assert fetch(own) == (tmp_path / "toy.csv",)
    assert available(own)


def cut_connection(server):
    server.serve(TABLE[:5000], length=len(TABLE))


def forget_file(server):
    server.answers.clear()


def break_gateway(server):
    server.serve(b"<html>no</html>", status=502)


PUT_IT_THERE = r"set the environment variable SORB_DATA .*contains toy\.csv"
BOTH_WAYS_OUT = r"network, or set the environment variable SORB_DATA .*contains toy\.csv"


@pytest.mark.parametrize(
    ("spoil", "error", "reason"),
    [
        (cut_connection, DatasetUnavailable, "the connection broke off"),
        (forget_file, DatasetUnavailable, "the server answered 404 Not Found"),
        (break_gateway, DatasetUnavailable, "the server answered 502 Bad Gateway"),
    ],
)
def test_a_bad_answer_is_explained_and_leaves_nothing_behind(toy, cache, spoil, error, reason):
    spoil(toy)
    with pytest.raises(error, match=rf"'toy'.*{reason}.*{BOTH_WAYS_OUT}"):
        load("toy")
    assert list(cache.iterdir()) == []
    assert not available("toy")
    toy.serve()
    assert load("toy").X.shape == (2000, 2)


def test_another_file_than_the_expected_one_is_named_by_its_checksum(toy, cache):
    other = TABLE.replace(b"7,a,1", b"7,a,0", 1)
    toy.serve(other)
    found = hashlib.sha256(other).hexdigest()
    message = rf"'toy' is not the expected file: its SHA-256 is {found}, expected .*{PUT_IT_THERE}"
    with pytest.raises(DatasetDamaged, match=message) as caught:
        load("toy")
    assert "network" not in str(caught.value)
    assert list(cache.iterdir()) == []


@pytest.mark.parametrize("host", ["127.0.0.1", "nowhere.invalid"])
def test_an_unreachable_host_is_explained(server, cache, describe_toy, host):
    describe_toy(f"http://{host}:{closed_port()}")
    with pytest.raises(DatasetUnavailable, match=rf"'toy'.*no connection.*{BOTH_WAYS_OUT}"):
        load("toy")
    assert list(cache.iterdir()) == []


def test_an_unreachable_proxy_is_explained(server, cache, describe_toy, monkeypatch):
    describe_toy("http://somewhere.invalid")
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{closed_port()}")
    monkeypatch.setenv("no_proxy", "")
    monkeypatch.delenv("NO_PROXY", raising=False)
    with pytest.raises(DatasetUnavailable, match=rf"'toy'.*proxy.*{BOTH_WAYS_OUT}"):
        load("toy")
    assert list(cache.iterdir()) == []


def test_a_silent_server_is_explained(toy, cache, monkeypatch):
    monkeypatch.setattr(download, "_TIMEOUT", 0.1)
    toy.serve(status=SILENCE)
    message = rf"'toy'.*no answer within 0\.1 seconds.*{BOTH_WAYS_OUT}"
    with pytest.raises(DatasetUnavailable, match=message):
        load("toy")
    assert list(cache.iterdir()) == []


def test_an_impossible_address_is_explained(server, cache, describe_toy):
    describe_toy("nonsense://x")
    with pytest.raises(DatasetUnavailable, match=r"'toy'.*nonsense://x"):
        load("toy")


def test_a_description_of_ones_own_names_its_own_folder(server, describe_toy, tmp_path):
    describe_toy(server.address)
    with pytest.raises(DatasetUnavailable, match=r"404.*network, or put toy\.csv into"):
        load(tmp_path / "toy.toml")


def test_a_folder_that_cannot_be_written_to_is_explained(toy, cache):
    toy.serve()
    cache.write_text("a file where the folder should be, which stops even the superuser")
    message = r"toy\.csv of the dataset 'toy' cannot be stored in .*cache.*SORB_DATA to one"
    with pytest.raises(DatasetUnavailable, match=message):
        load("toy")
    assert cache.is_file()
    assert toy.asked == []


def test_without_pooch_the_extra_is_named(toy, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    message = r'\'toy\'.*pip install "sorb\[lab\]"; or set .*SORB_DATA .*contains toy\.csv'
    with pytest.raises(DatasetUnavailable, match=message):
        load("toy")
    monkeypatch.delenv("SORB_DATA")
    assert not available("toy")


def test_a_changed_file_is_refused_and_kept(monkeypatch, tmp_path):
    content = b"variance,skewness,curtosis,entropy,class\n1,2,3,4,1\n"
    (tmp_path / "banknote.csv").write_bytes(content)
    monkeypatch.setenv("SORB_DATA", str(tmp_path))
    with pytest.raises(DatasetDamaged, match=hashlib.sha256(content).hexdigest()):
        load("banknote")
    assert (tmp_path / "banknote.csv").read_bytes() == content


def test_a_table_may_be_pinned(write):
    write("cars.csv", CARS)
    text = 'file = "cars.csv"\ntarget = "km"\nsha256 = "{}"\n'
    good = hashlib.sha256(CARS.encode()).hexdigest()
    assert load(write("good.toml", text.format(good.upper()))).X.shape == (3, 5)
    with pytest.raises(DatasetDamaged, match=f"SHA-256 is {good}.*correct its sha256"):
        load(write("bad.toml", text.format("0" * 64)))
