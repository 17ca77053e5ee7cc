import os

import pytest

from sorb.lab.facts import RunDamaged, read_facts

PART = '{"datasets": ["iris"], "methods": ["TGB"], "repetitions": %s}'


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.json"


@pytest.mark.parametrize("text", ["{}", '{"machine": "größer"}', f'{{"parts": [{PART % 3}]}}'])
def test_any_key_may_be_missing(path, text):
    path.write_text(text, encoding="utf-8")
    assert isinstance(read_facts(path), dict)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "Expecting value"),
        (b"{", "Expecting property name"),
        (b'{"a": "\xff"}', "can't decode byte 0xff"),
        (b"[1]", r"it must hold a table, not \[1\]"),
        (b"[" * 100_000, "its values are nested too deeply"),
        (b'{"a": ' + b"[" * 30 + b"]" * 30 + b"}", "values are nested more than 20 deep"),
        (b'{"a": ' + b"9" * 30 + b"}", "an integer does not fit in 64 bits"),
        (b'{"configuration": 3}', "configuration must be text, not 3"),
        (b'{"settings": []}', r"settings must be a table, not \[\]"),
        (b'{"parts": [1]}', r"parts must be a list of tables with .*, not \[1\]"),
        (b'{"parts": [{}]}', "parts must be a list of tables with datasets, methods and repet"),
        (f'{{"parts": [{PART % "1000000000"}]}}'.encode(), "a whole number from 1 to 10,000"),
        (f'{{"parts": [{PART % "true"}]}}'.encode(), "a whole number from 1 to 10,000"),
        (f'{{"parts": [{", ".join([PART % 10_000] * 101)}]}}'.encode(), "at most 1,000,000 units"),
        (b'{"a": "' + b"x" * 10_000_000 + b'"}', "it is larger than 10,000,000 bytes"),
        (b'{"methods": null}', "methods must be a table, not None"),
        (b'{"sources": "x"}', "sources must be a table, not 'x'"),
        (b'{"commands": {}}', r"commands must be a list of tables, not \{\}"),
    ],
    ids=range(18),
)
def test_a_damaged_file_is_named_with_what_was_expected(path, content, problem):
    path.write_bytes(content)
    with pytest.raises(RunDamaged, match=problem) as caught:
        read_facts(path)
    assert str(caught.value).startswith(f"{path} is damaged: ")
    assert "\n" not in str(caught.value)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_not_waited_for(path):
    os.mkfifo(path)
    with pytest.raises(RunDamaged, match="it is not a regular file"):
        read_facts(path)
