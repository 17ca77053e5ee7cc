import pytest
from synthetic_results import written

from sorb.lab.curves import MissingResults
from sorb.lab.figures import FIGURES


@pytest.mark.parametrize("name", FIGURES)
def test_results_without_what_a_figure_needs_are_told(name, tmp_path):
    rows = written(tmp_path, {("iris", "LLTB", 0): [{"failure": "it broke"}]}).table()
    with pytest.raises(MissingResults):
        FIGURES[name](rows)
