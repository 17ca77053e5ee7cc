import pytest

from sorb.tables.source_paths import source_paths


def test_the_files_of_all_kinds_of_sources_are_listed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("b.csv", "a.csv", "c[1].csv"):
        (tmp_path / name).touch()
    assert source_paths(["[ab].csv", "c[1].csv"]) == ["a.csv", "b.csv", "c[1].csv"]
    assert source_paths(["duckdb:///there%20is.db", "postgresql://host/clinic"]) == ["there is.db"]


def test_a_file_that_does_not_exist_is_refused_by_name():
    with pytest.raises(FileNotFoundError) as refusal:
        source_paths(["nofile.csv"])
    assert refusal.value.filename == "nofile.csv"
