import sys

import pytest

from sorb.lab.config_files import read_config

TOML = """
title = "a run"
repetitions = 3

[methods.lltb]
reg_lambda = [0.1, 1.0]
"""
YAML = """
title: a run
repetitions: 3
methods:
  lltb:
    reg_lambda: [0.1, 1.0]
"""
MEANT = {
    "title": "a run",
    "repetitions": 3,
    "methods": {"lltb": {"reg_lambda": [0.1, 1.0]}},
}


def written(folder, name, text):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    ("name", "text"), [("a.toml", TOML), ("a.yaml", YAML), ("a.yml", YAML), ("A.TOML", TOML)]
)
def test_both_languages_say_the_same(tmp_path, name, text):
    assert read_config(written(tmp_path, name, text)) == MEANT
    assert read_config(str(tmp_path / name)) == MEANT


@pytest.mark.parametrize("name", ["a.toml", "a.yaml"])
def test_an_empty_file_says_nothing(tmp_path, name):
    assert read_config(written(tmp_path, name, "# nothing\n")) == {}


@pytest.mark.parametrize(("name", "text"), [("a.toml", 'a = "≥"'), ("a.yaml", "a: ≥")])
def test_a_byte_order_mark_is_no_content(tmp_path, name, text):
    assert read_config(written(tmp_path, name, b"\xef\xbb\xbf" + text.encode())) == {"a": "≥"}


def test_yaml_may_repeat_a_part_by_its_anchor(tmp_path):
    text = "base: &b {x: 1, y: 2}\nother:\n  <<: *b\n  y: 3\nagain: *b\n"
    found = read_config(written(tmp_path, "a.yaml", text))
    assert found["other"] == {"x": 1, "y": 3}
    assert found["again"] == {"x": 1, "y": 2}


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("a.toml", 'a = 1\nb = = 2\nc = "x"\n', 2),
        ("a.toml", "a = 1\na = 2\n", 2),
        ("a.toml", "a = 1\n\nb = [1,\n2\n", 4),
        ("a.toml", b'a = 1\n\nb = "\xff"\n', 3),
        ("a.yaml", "a: 1\nb: [1, 2\nc: 3\n", 3),
        ("a.yaml", "a: 1\nb: 2: 3\n", 2),
        ("a.yaml", "a:\n  b: 1\n  c: 2\n  b: 3\n", 4),
        ("a.yaml", "a: [{b: 1}, {c: 2,\n c: 3}]\n", 2),
        ("a.yaml", "a: 1\non: 2\n", 2),
        ("a.yaml", "a: 1\n[1, 2]: 2\n", 2),
        ("a.yaml", "\n- a\n- b\n", 2),
        ("a.yaml", "a: !!python/object:os.system 1\n", 1),
        ("a.yaml", "a: 1\nb: \x07\n", 2),
        ("a.yaml", b"a: 1\nb: \xff\n", 2),
    ],
)
def test_a_malformed_file_is_one_line_with_file_and_line(tmp_path, name, text, line):
    path = written(tmp_path, name, text)
    with pytest.raises(ValueError, match=rf"line {line}: ") as caught:
        read_config(path)
    assert str(caught.value).startswith(f"{path}, line {line}: ")
    assert "\n" not in str(caught.value)


def test_an_anchor_inside_itself_ends(tmp_path):
    found = read_config(written(tmp_path, "a.yaml", "a: &x\n  b: *x\n"))
    assert found["a"]["b"] is found["a"]


def test_other_names_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"a\.json: .*\.toml, \.yaml, \.yml"):
        read_config(written(tmp_path, "a.json", "{}"))


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no file .*missing\.toml"):
        read_config(tmp_path / "missing.toml")


@pytest.mark.parametrize(
    ("module", "name"),
    [("tomllib" if sys.version_info >= (3, 11) else "tomli", "a.toml"), ("yaml", "a.yaml")],
)
def test_without_its_package_the_extra_is_named(monkeypatch, tmp_path, module, name):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=r'pip install "sorb\[lab\]"'):
        read_config(written(tmp_path, name, ""))
