import errno
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from sorb.rules.atomic_files import replace_file

# A process that stops just before the new file gets its name.
WRITER = """
import os, sys
from sorb.rules.atomic_files import replace_file

rename = os.replace

def stop(*paths):
    {stop}
    rename(*paths)

os.replace = stop
replace_file(sys.argv[1], b"from the writer")
"""
KILLED = WRITER.format(stop="os._exit(9)")
WAITING = WRITER.format(stop="print(flush=True); sys.stdin.readline()")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.json"


def start(script, path):
    command = [sys.executable, "-c", script, str(path)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_leaves_nothing_else_behind(path):
    replace_file(path, b"new")
    assert os.listdir(path.parent) == ["model.json"]


def test_keeps_the_old_file_if_writing_fails(path, monkeypatch):
    replace_file(path, b"old")
    monkeypatch.setattr("os.replace", _fail)
    with pytest.raises(OSError, match="disk full"):
        replace_file(path, b"new")
    assert path.read_bytes() == b"old"


def test_cleans_up_if_writing_fails(path, monkeypatch):
    monkeypatch.setattr("os.replace", _fail)
    with pytest.raises(OSError, match="disk full"):
        replace_file(path, b"new")
    assert os.listdir(path.parent) == []


def test_what_a_killed_process_left_is_removed_by_the_next(path):
    with start(KILLED, path) as writer:
        assert writer.wait() == 9
    assert len(os.listdir(path.parent)) == 2
    replace_file(path.parent / "other.json", b"new")
    assert os.listdir(path.parent) == ["other.json"]


def test_what_a_process_left_that_was_killed_before_writing_is_removed_as_well(path):
    (path.parent / ".sorb-0123456789abcdef.lock").touch()
    replace_file(path, b"new")
    assert os.listdir(path.parent) == ["model.json"]


def test_what_another_process_is_writing_is_left_alone(path):
    with start(WAITING, path) as writer:
        writer.stdout.readline()
        replace_file(path, b"new")
        writer.communicate("\n")
    assert writer.returncode == 0
    assert path.read_bytes() == b"from the writer"
    assert os.listdir(path.parent) == ["model.json"]


def test_another_thread_is_another_writer(path):
    def save(content):
        for _ in range(50):
            replace_file(path, content)

    contents = [b"a" * 1000, b"b" * 1000]
    threads = [threading.Thread(target=save, args=(content,)) for content in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_bytes() in contents
    assert os.listdir(path.parent) == ["model.json"]


def test_a_draft_that_was_removed_before_it_was_locked_is_replaced_by_another(path, monkeypatch):
    names = iter([b"a", b"a", b"b"])
    monkeypatch.setattr("os.urandom", lambda _: next(names))
    monkeypatch.setattr("sorb.rules.atomic_files.try_lock", _remove_first(path.parent))
    replace_file(path, b"new")
    assert path.read_bytes() == b"new"
    assert next(names, None) is None


def _remove_first(folder):
    """Do what another process does that takes the first lock file for a leftover."""
    files = iter([True, True])

    def try_lock(file):
        if next(files, False):
            (folder / f".sorb-{b'a'.hex()}.lock").unlink()
        return True

    return try_lock


def test_without_locks_files_are_still_replaced(path, monkeypatch):
    monkeypatch.setattr("sorb.rules.atomic_files.try_lock", _fail)
    replace_file(path, b"old")
    replace_file(path, b"new")
    assert path.read_bytes() == b"new"
    assert os.listdir(path.parent) == ["model.json"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has other rights")
def test_a_draft_is_its_owners_alone_until_it_has_the_rights_of_the_file(path, monkeypatch):
    replace_file(path, b"old")
    path.chmod(0o644)
    modes = []
    chmod = Path.chmod
    monkeypatch.setattr(
        Path, "chmod", lambda draft, new: (modes.append(mode(draft)), chmod(draft, new))
    )
    replace_file(path, b"new")
    assert [*modes, mode(path)] == [0o600, 0o644]


@pytest.mark.skipif(os.name == "nt", reason="Windows has other rights")
def test_nobody_else_may_read_what_nobody_else_could(path, monkeypatch):
    replace_file(path, b"old")
    path.chmod(0o600)
    modes = []
    write = os.replace
    monkeypatch.setattr("os.replace", lambda *paths: (modes.append(mode(paths[0])), write(*paths)))
    replace_file(path, b"new")
    assert [*modes, mode(path)] == [0o600, 0o600]


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


def test_a_file_that_must_not_be_written_is_not_replaced(path, monkeypatch):
    replace_file(path, b"old")
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(PermissionError, match=r"model\.json"):
        replace_file(path, b"new")
    assert path.read_bytes() == b"old"


@pytest.mark.parametrize("function", ["pathlib.Path.open", "os.replace"])
def test_errors_name_the_file_and_not_its_draft(path, monkeypatch, function):
    def fail(name, *_):
        raise PermissionError(errno.EACCES, "Permission denied", str(name))

    monkeypatch.setattr(function, fail)
    with pytest.raises(PermissionError) as caught:
        replace_file(path, b"new")
    assert caught.value.filename == str(path)


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_circle_of_links_is_replaced(path):
    other = path.with_name("other.json")
    path.symlink_to(other)
    other.symlink_to(path)
    replace_file(path, b"new")
    assert path.read_bytes() == b"new"


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_what_a_link_points_to_is_replaced(path):
    replace_file(path, b"old")
    link = path.with_name("link.json")
    link.symlink_to(path)
    replace_file(link, b"new")
    assert link.is_symlink()
    assert path.read_bytes() == b"new"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_is_written_to(path):
    os.mkfifo(path)
    read = []
    reader = threading.Thread(target=lambda: read.append(path.read_bytes()))
    reader.start()
    replace_file(path, b"new")
    reader.join()
    assert read == [b"new"]
    assert path.is_fifo()


def test_names_the_folder_that_is_missing(path):
    with pytest.raises(FileNotFoundError, match=r"no folder \S+none for model\.json"):
        replace_file(path.parent / "none" / "model.json", b"new")


def _fail(*_):
    raise OSError("disk full")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs Linux")
def test_errors_of_a_device_name_it():
    with pytest.raises(OSError, match="No space left on device: '/dev/full'"):
        replace_file("/dev/full", b"content")
