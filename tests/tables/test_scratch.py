import subprocess
import sys
import tempfile

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
