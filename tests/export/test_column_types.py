import pytest

from sorb.export.column_types import label_type


def test_a_new_type_of_label_is_refused():
    with pytest.raises(AssertionError, match="unexpected NoneType"):
        label_type(None)
