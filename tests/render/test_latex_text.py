import re

import pytest
from hypothesis import strategies as st
from render.latex_reader import HOSTILE, composed, read
from rule_strategies import for_all

from sorb.render.latex_text import escape


@for_all(st.text() | st.just(HOSTILE))
def test_any_text_can_be_read_back(written):
    assert escape(written).isascii()
    assert not re.search("--|''|,,|``", escape(written))  # they would become other signs
    assert read(escape(written)) == composed(written)


@pytest.mark.parametrize("sign", "€£§—–‘’“”½…")
def test_signs_of_everyday_texts_are_printed(sign):
    assert "U+" not in escape(sign)
    assert read(escape(f"a{sign}{sign}b")) == f"a{sign}{sign}b"


def test_letters_whose_accents_stand_apart_are_the_same_letters():
    assert escape("a\u0301") == escape("\u00e1") == r"\'{a}"
