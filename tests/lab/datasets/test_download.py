"""Downloads, from a real server on this machine that serves well or badly."""

import gzip
import hashlib
import socket
import sys
from contextlib import closing

import platformdirs
import pytest
from lab.datasets.cars import CARS
from lab.datasets.server import TABLE

from sorb.lab.datasets import DatasetDamaged, DatasetUnavailable, description, fetch, load, transfer
from sorb.lab.datasets import is_available as available

SHA256 = hashlib.sha256(TABLE).hexdigest()


@pytest.fixture
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("SORB_DATA", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def describe_toy(monkeypatch, tmp_path):
    """Let sorb know a dataset "toy" as if it came with it."""
    monkeypatch.setattr(description, "_FOLDER", tmp_path)

    def describe(address, sha256=SHA256, more=""):
        text = f'target = "label"\nfile = "toy.csv"\nurl = "{address}/toy.csv"\n{more}\n'
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
    monkeypatch.setattr(platformdirs, "user_cache_dir", lambda name: tmp_path / "system" / name)
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
    monkeypatch.setattr(transfer, "TIMEOUT", 0.1)
    toy.say_nothing()
    message = rf"'toy'.*no answer within 0\.1 seconds.*{BOTH_WAYS_OUT}"
    with pytest.raises(DatasetUnavailable, match=message):
        load("toy")
    assert list(cache.iterdir()) == []


def test_a_redirection_to_a_file_is_refused(toy, cache, tmp_path):
    (tmp_path / "secret.csv").write_bytes(TABLE)
    toy.redirect((tmp_path / "secret.csv").as_uri())
    with pytest.raises(DatasetUnavailable, match=r"toy\.csv: only http and https are allowed"):
        load("toy")
    assert list(cache.iterdir()) == []


def test_a_redirection_to_an_impossible_address_is_explained(toy):
    toy.redirect("http://a..b/toy.csv")
    with pytest.raises(DatasetUnavailable, match=rf"'toy'.*Failed to parse.*{BOTH_WAYS_OUT}"):
        load("toy")


@pytest.mark.parametrize(
    ("limit", "excess"),
    [
        ("max_megabytes = 0.01", "is larger than 0.01 MB"),
        ("max_minutes = 0.005", "takes more than 0.005 minutes"),
    ],
)
def test_a_limit_is_explained_and_can_be_raised(server, describe_toy, tmp_path, limit, excess):
    describe_toy(server.address, more=limit)
    server.drip(TABLE[:1], Content_Length=len(TABLE))
    key = limit.split()[0]
    message = (
        rf"toy\.csv of the dataset 'toy' was not downloaded: what {server.address}/toy\.csv sends "
        rf"{excess}\. If that is right, raise {key} in the description, or put toy\.csv into"
    )
    with pytest.raises(DatasetUnavailable, match=message):
        load(tmp_path / "toy.toml")
    assert [path.name for path in tmp_path.iterdir()] == ["toy.toml"]
    describe_toy(server.address, more=f"{key} = 1")
    server.serve()
    assert load(tmp_path / "toy.toml").X.shape == (2000, 2)


def test_a_limit_of_one_of_our_datasets_names_no_description(server, cache, describe_toy):
    describe_toy(server.address, more="max_megabytes = 0.01")
    server.serve()
    with pytest.raises(DatasetUnavailable, match="If that is right, set the environment variable"):
        load("toy")


def test_a_packed_table_that_would_fill_the_memory_is_refused(
    server, describe_toy, tmp_path, monkeypatch
):
    monkeypatch.setattr("sorb.tables.packed_files.LARGEST_UNPACKED", 1000)
    describe_toy(server.address, sha256="")
    server.serve(gzip.compress(b"0" * 10**7))
    with pytest.raises(ValueError, match=r"toy\.csv contains more than 200 times its size"):
        load(tmp_path / "toy.toml")


def test_a_folder_of_nobody_is_explained(toy, monkeypatch):
    monkeypatch.setenv("SORB_DATA", "~nobody_of_this_name/data")
    with pytest.raises(DatasetUnavailable, match="SORB_DATA is ~nobody_of_this_name/data, which"):
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


def test_without_the_packages_of_a_download_the_extra_is_named(toy, monkeypatch):
    monkeypatch.setitem(sys.modules, "requests", None)
    monkeypatch.setitem(sys.modules, "platformdirs", None)
    message = r'\'toy\'.*pip install .*\[lab\]"; or set .*SORB_DATA .*contains toy\.csv'
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
