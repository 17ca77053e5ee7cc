import subprocess
import sys
import tempfile

from sorb._file_lock import try_lock
from sorb.tables import scratch
from sorb.tables.scratch import scratch_folder

HOLD = """
import sys, time
from sorb.tables.scratch import scratch_folder
with scratch_folder() as folder:
    print(folder, flush=True)
    time.sleep(60)
"""


def test_a_folder_is_removed_after_its_process_was_killed_but_not_before(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    process = subprocess.Popen([sys.executable, "-c", HOLD], stdout=subprocess.PIPE, text=True)
    left = process.stdout.readline().strip()
    with scratch_folder() as folder:
        assert {str(path) for path in tmp_path.iterdir()} == {left, str(folder)}
    process.kill()
    process.communicate()
    with scratch_folder() as folder:
        assert list(tmp_path.iterdir()) == [folder]
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_not_removed_before_it_is_locked(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def lock_after_another_process(file):
        monkeypatch.setattr(scratch, "try_lock", try_lock)
        with scratch_folder():  # removes leftovers
            return try_lock(file)

    monkeypatch.setattr(scratch, "try_lock", lock_after_another_process)
    with scratch_folder() as folder:
        assert (folder / "lock").is_file()
