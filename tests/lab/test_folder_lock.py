import subprocess
import sys

import pytest
from lab.quick_runs import SCRIPT, TWO

from sorb.lab.folder_lock import FolderInUse, locked
from sorb.lab.results import Results
from sorb.lab.runner import run


def test_a_folder_is_refused_while_another_runs_on_it(tmp_path):
    def again(*news):
        with pytest.raises(FolderInUse, match="another process is working on this folder"):
            run(TWO, tmp_path)

    assert len(run(TWO, tmp_path, progress=again).done()) == 2


def test_a_folder_is_refused_to_another_process(tmp_path):
    with locked(tmp_path):
        command = [sys.executable, "-c", SCRIPT, str(tmp_path)]
        refused = subprocess.run(command, capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert "another process is working on this folder" in refused.stderr
    assert Results(tmp_path).done() == {}
