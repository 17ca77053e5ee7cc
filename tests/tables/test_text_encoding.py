import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sorb.tables.text_encoding import RecodedStream, find_encoding, is_binary


@settings(derandomize=True, max_examples=60)
@given(st.text(st.characters(exclude_categories=["Cs"], min_codepoint=1)))
def test_utf_8_is_never_taken_for_something_else(text):
    assert find_encoding(io.BytesIO(text.encode())) == "utf-8"


@pytest.mark.parametrize("block", [1, 2, 3, 7, 1 << 20])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "shift-jis", "utf-7"])
def test_texts_are_recoded_piece_by_piece(block, encoding, monkeypatch):
    monkeypatch.setattr("sorb.tables.text_encoding.BLOCK", block)
    text = "name,大きさ\n鈴木,1.5\n" * 5
    stream = io.BufferedReader(RecodedStream(io.BytesIO(text.encode(encoding)), encoding, "t.csv"))
    assert stream.read().decode() == text
    stream.seek(0)
    assert stream.read(4) == b"name"
    stream.seek(0)
    assert stream.read().decode() == text


def test_a_character_that_is_cut_at_the_end_of_a_block_is_utf_8(monkeypatch):
    monkeypatch.setattr("sorb.tables.text_encoding.BLOCK", 2)
    assert find_encoding(io.BytesIO("aé".encode())) == "utf-8"
    assert find_encoding(io.BytesIO("aé".encode()[:-1])) == "windows-1252"


def test_texts_that_break_off_are_refused():
    stream = RecodedStream(io.BytesIO("a,b\n".encode("utf-16")[:-1]), "utf-16", "t.csv")
    with pytest.raises(ValueError, match=r"t\.csv is not text in utf-16"):
        io.BufferedReader(stream).read()


def test_texts_are_not_binary():
    assert not is_binary(io.BytesIO("Müller\tSchmidt\r\n\x1b\x0c".encode("latin-1") * 20))
    assert is_binary(io.BytesIO(b"a\0b\xff"))
