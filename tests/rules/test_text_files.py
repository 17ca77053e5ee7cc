from pathlib import Path

import pytest

from sorb.rules import Condition, ModelFormatError, Rule, RuleEnsemble
from sorb.rules.text_files import read_text


class TestFile:
    ENSEMBLE = RuleEnsemble(0.1, (Rule(Condition(), 2.0),), ("größe", "a\nb"), "poisson")

    def test_loads_what_was_saved(self, tmp_path):
        self.ENSEMBLE.save(tmp_path / "model.json")
        assert RuleEnsemble.load(tmp_path / "model.json") == self.ENSEMBLE

    def test_takes_a_path_as_text(self, tmp_path):
        self.ENSEMBLE.save(str(tmp_path / "model.json"))
        assert RuleEnsemble.load(str(tmp_path / "model.json")) == self.ENSEMBLE

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

    def test_names_the_file(self, tmp_path):
        path = tmp_path / "model.json"
        path.write_text('{"format": "csv"}')
        with pytest.raises(ModelFormatError, match="format: expected") as refusal:
            RuleEnsemble.load(path)
        assert refusal.value.file == str(path)
        assert str(refusal.value).startswith(f"{path} is not a model that this version can read: ")

    @pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no endless file")
    def test_an_endless_file_is_refused(self):
        with pytest.raises(ModelFormatError, match="at most 10,000,000 bytes"):
            RuleEnsemble.load("/dev/zero")


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs Linux")
def test_errors_of_the_system_name_the_file():
    with pytest.raises(OSError, match="Input/output error: '/proc/self/mem'"):
        read_text("/proc/self/mem")


def test_a_mark_of_an_editor_before_the_text_is_no_part_of_it(tmp_path):
    path = tmp_path / "log.json"
    path.write_text('{"ä": 1}', encoding="utf-8-sig")
    assert read_text(path) == '{"ä": 1}'
