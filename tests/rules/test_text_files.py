import os
import stat

import pytest

from sorb.rules import Condition, ModelFormatError, Rule, RuleEnsemble


class TestFile:
    ENSEMBLE = RuleEnsemble(0.1, (Rule(Condition(), 2.0),), ("größe", "a\nb"), "poisson")

    def test_loads_what_was_saved(self, tmp_path):
        self.ENSEMBLE.save(tmp_path / "model.json")
        assert RuleEnsemble.load(tmp_path / "model.json") == self.ENSEMBLE

    def test_takes_a_path_as_text(self, tmp_path):
        self.ENSEMBLE.save(str(tmp_path / "model.json"))
        assert RuleEnsemble.load(str(tmp_path / "model.json")) == self.ENSEMBLE

    def test_leaves_nothing_else_behind(self, tmp_path):
        self.ENSEMBLE.save(tmp_path / "model.json")
        assert [path.name for path in tmp_path.iterdir()] == ["model.json"]

    def test_keeps_the_old_file_if_writing_fails(self, tmp_path, monkeypatch):
        self.ENSEMBLE.save(tmp_path / "model.json")
        monkeypatch.setattr("os.replace", _fail)
        with pytest.raises(OSError, match="disk full"):
            self.ENSEMBLE[:0].save(tmp_path / "model.json")
        assert RuleEnsemble.load(tmp_path / "model.json") == self.ENSEMBLE

    def test_cleans_up_if_writing_fails(self, tmp_path, monkeypatch):
        monkeypatch.setattr("os.replace", _fail)
        with pytest.raises(OSError, match="disk full"):
            self.ENSEMBLE.save(tmp_path / "model.json")
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.skipif(os.name == "nt", reason="Windows has other rights")
    def test_nobody_else_may_read_what_nobody_else_could(self, tmp_path):
        path = tmp_path / "model.json"
        self.ENSEMBLE.save(path)
        path.chmod(0o600)
        self.ENSEMBLE.save(path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600

    def test_names_the_folder_that_is_missing(self, tmp_path):
        with pytest.raises(FileNotFoundError, match=r"no folder \S+none for model\.json"):
            self.ENSEMBLE.save(tmp_path / "none" / "model.json")

    def test_names_are_readable(self, tmp_path):
        self.ENSEMBLE.save(tmp_path / "model.json")
        assert '"größe"' in (tmp_path / "model.json").read_text("utf-8")

    def test_refuses_what_is_not_utf8(self, tmp_path):
        (tmp_path / "model.json").write_bytes(b'{"\xff"')
        with pytest.raises(ModelFormatError, match="byte 2: not UTF-8 text"):
            RuleEnsemble.load(tmp_path / "model.json")

    def test_says_if_there_is_no_file(self, tmp_path):
        with pytest.raises(FileNotFoundError, match=r"model\.json"):
            RuleEnsemble.load(tmp_path / "model.json")


def _fail(*_):
    raise OSError("disk full")
