"""Downloads within limits, whatever the server does."""

import gzip
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from lab.datasets.server import TABLE, send_headers

from sorb.lab.datasets.transfer import LimitExceeded, Limits, transfer
from sorb.rules.atomic_files import DRAFT, LOCK, START

LIMITS = Limits(megabytes=1, minutes=1)
SHORT = Limits(megabytes=1, minutes=0.005)


@pytest.fixture
def download(server, tmp_path):
    """Download the server's answer into a folder, which is returned."""
    folder = tmp_path / "data"

    def download(limits=LIMITS):
        transfer(f"{server.address}/toy.csv", folder / "toy.csv", limits, lambda draft: None)

    download.folder = folder
    return download


def test_a_complete_answer_gets_its_name(server, download):
    server.serve()
    download()
    assert [path.name for path in download.folder.iterdir()] == ["toy.csv"]
    assert (download.folder / "toy.csv").read_bytes() == TABLE


def send_without_end(server):
    server.drip(b"0" * 2**16, pause=0)


def announce_too_much(server):
    server.serve(b"", length=2_000_000)


def announce_absurdly_much(server):
    server.drip(b"0" * 2**16, pause=0, Content_Length="9" * 5000)


def send_a_packed_bomb(server):
    server.serve(gzip.compress(b"0" * 10**7), Content_Encoding="gzip")


@pytest.mark.parametrize(
    "misbehave", [send_without_end, announce_too_much, announce_absurdly_much, send_a_packed_bomb]
)
def test_a_large_answer_is_given_up(server, download, misbehave):
    misbehave(server)
    with pytest.raises(LimitExceeded, match="is larger than 1 MB") as caught:
        download()
    assert caught.value.key == "max_megabytes"
    assert list(download.folder.iterdir()) == []


def drip_content(server):
    server.drip(b"0", Content_Length=500_000)


def drip_headers(server):
    server.drip_headers()


def say_nothing(server):
    server.say_nothing()


@pytest.mark.parametrize("misbehave", [drip_content, drip_headers, say_nothing])
def test_a_slow_answer_is_given_up(server, download, misbehave):
    misbehave(server)
    with pytest.raises(LimitExceeded, match=r"takes more than 0\.005 minutes") as caught:
        download(SHORT)
    assert caught.value.key == "max_minutes"
    assert list(download.folder.iterdir()) == []


def test_an_answer_that_is_refused_is_not_kept(server, tmp_path):
    def refuse(draft):
        assert draft.read_bytes() == TABLE
        raise ValueError("no")

    server.serve()
    with pytest.raises(ValueError, match="no"):
        transfer(f"{server.address}/toy.csv", tmp_path / "toy.csv", LIMITS, refuse)
    assert list(tmp_path.iterdir()) == []


def test_a_link_is_replaced_and_not_followed(server, download, tmp_path):
    outside = tmp_path / "outside.csv"
    download.folder.mkdir()
    (download.folder / "toy.csv").symlink_to(outside)
    server.serve()
    download()
    assert not outside.exists()
    assert not (download.folder / "toy.csv").is_symlink()


def test_what_a_killed_download_left_behind_is_removed(server, download):
    download.folder.mkdir()
    for suffix in (LOCK, DRAFT):
        (download.folder / f"{START}0{suffix}").write_bytes(TABLE[:100])
    server.serve()
    download()
    assert [path.name for path in download.folder.iterdir()] == ["toy.csv"]


def test_a_download_leaves_another_one_alone(server, download):
    """The first answer ends only after the second, which is complete at once."""
    begun, done = Event(), Event()

    def wait_for_the_second(handler):
        server.serve()
        send_headers(handler, 200, {"Content-Length": len(TABLE)})
        begun.set()
        done.wait(10)
        handler.wfile.write(TABLE)

    server.answers["/toy.csv"] = wait_for_the_second
    with ThreadPoolExecutor() as pool:
        first = pool.submit(download)
        assert begun.wait(10)
        download()
        assert (download.folder / "toy.csv").read_bytes() == TABLE
        done.set()
        first.result()
    assert (download.folder / "toy.csv").read_bytes() == TABLE
    assert [path.name for path in download.folder.iterdir()] == ["toy.csv"]


def test_many_downloads_of_one_file_at_a_time(server, download):
    server.serve()
    with ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(download) for _ in range(40)]:
            done.result()
    assert [path.name for path in download.folder.iterdir()] == ["toy.csv"]
    assert (download.folder / "toy.csv").read_bytes() == TABLE
