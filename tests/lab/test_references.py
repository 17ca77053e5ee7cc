import sys

import pytest

from sorb.lab.references import ReferenceNotFound, import_reference


def test_an_error_inside_the_module_is_shown(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "broken_rival.py").write_text("import absent_library\n", encoding="utf-8")
    with pytest.raises(ReferenceNotFound, match="importing broken_rival failed: ModuleNotFound"):
        import_reference("broken_rival:Class", tmp_path)
