import sys
from itertools import pairwise

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


def written_folder(folder, name):
    (folder / name).mkdir()
    return folder / name


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
    found = read_config(written(tmp_path, "a.yaml", "base: &b {x: 1, y: 2}\nagain: *b\n"))
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
        ("a.yaml", "a: 1\nb: 2024-13-45\n", 2),
        ("a.yaml", "a: 1\nb: !!bool maybe\n", 2),
        ("a.yaml", "a: 1\nb: !!timestamp soon\n", 2),
        ("a.yaml", "a: 1\nb: " + "9" * 5000, 2),
        ("a.yaml", "a: 1\nb: " + "1:" * 100 + "1", 2),
        ("a.yaml", "a: &a {x: 1}\nb:\n  <<: *a\n", 3),
    ],
)
def test_a_malformed_file_is_one_line_with_file_and_line(tmp_path, name, text, line):
    path = written(tmp_path, name, text)
    with pytest.raises(ValueError, match=rf"line {line}: ") as caught:
        read_config(path)
    assert str(caught.value).startswith(f"{path}, line {line}: ")
    assert "\n" not in str(caught.value)


LAUGHS = "a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n" + "".join(
    f"{after}: &{after} [{', '.join([f'*{name}'] * 10)}]\n"
    for name, after in pairwise("abcdefghij")
)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.toml", "a = " + "[" * 5000 + "]" * 5000, "values are nested more than 20 deep"),
        ("a.toml", "a = " + "[" * 30 + "]" * 30, "values are nested more than 20 deep"),
        ("a.toml", ".".join("a" * 500) + " = 1", "values are nested more than 20 deep"),
        ("a.yaml", "a: " + "[" * 1000 + "]" * 1000, "values are nested more than 20 deep"),
        ("a.yaml", "a: &x\n  b: *x\n", "values are nested more than 20 deep"),
        ("a.yaml", LAUGHS, "it holds more than 100,000 values"),
        ("a.toml", "a = " + "9" * 5000, "Exceeds the limit|does not fit in 64 bits"),
        ("a.toml", "a = 0x" + "f" * 5000, "an integer does not fit in 64 bits"),
        ("a.toml", "a = [-9223372036854775809]", "an integer does not fit in 64 bits"),
        ("a.yaml", 'a: "\\ud800"\n', r"the text '\\ud800' is not valid Unicode"),
        ("a.toml", "a = 1" + " " * 1_000_000, "it is larger than 1,000,000 bytes"),
    ],
)
def test_what_cannot_be_handled_is_one_line_with_the_file(tmp_path, name, text, message):
    path = written(tmp_path, name, text)
    with pytest.raises(ValueError, match=message) as caught:
        read_config(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_the_largest_integers_are_read(tmp_path):
    found = read_config(written(tmp_path, "a.toml", f"a = {-(2**63)}\nb = {2**63 - 1}"))
    assert found == {"a": -(2**63), "b": 2**63 - 1}


def test_a_folder_is_not_a_file(tmp_path):
    with pytest.raises(IsADirectoryError, match=r"a\.toml is a folder, not a file"):
        read_config(written_folder(tmp_path, "a.toml"))


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
    with pytest.raises(ImportError, match=r'pip install .*\[lab\]"'):
        read_config(written(tmp_path, name, ""))


@pytest.mark.parametrize("part", ["a", '"a"', "'.'", "'a' \t"])
@pytest.mark.parametrize("line", ["{} = 1", "[{}]\nb = 1", "a = [{{ {} = 1 }}]", "a = '\n{} = 1"])
def test_deep_names_of_toml_are_refused_before_they_take_long(tmp_path, line, part):
    """Fifty lines of them took minutes and gigabytes."""
    name = ".".join([part] * 9000)
    with pytest.raises(ValueError, match="nested more than 20 deep"):
        read_config(written(tmp_path, "run.toml", line.format(name)))


def test_names_of_toml_may_be_as_deep_as_values(tmp_path):
    text = ".".join("a" * 20) + " = 1"
    assert read_config(written(tmp_path, "run.toml", text)) != {}


@pytest.mark.parametrize(
    "text", ['"{}"', "'{}'", '"""\n{}"""', "'''{}\n'''", '"""\\"""{}"""', '""""{}"""""', "1 # {}"]
)
def test_dots_in_texts_and_comments_of_toml_make_nothing_deep(tmp_path, text):
    path = written(tmp_path, "run.toml", "a = " + text.format("a." * 30))
    assert list(read_config(path)) == ["a"]
