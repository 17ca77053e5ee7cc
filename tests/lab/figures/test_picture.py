import io
import xml.etree.ElementTree as ElementTree

import pytest
from matplotlib.image import imread

from sorb.lab.figures import FIGURES, Picture
from sorb.lab.figures.picture import new_figure


@pytest.fixture
def plain():
    figure = new_figure(2.0, 1.0)
    figure.subplots().plot([0, 1], [0, 1])
    return Picture("plain", "A line", "Nothing else.", figure)


def test_a_picture_is_kept_in_three_formats(plain, tmp_path):
    paths = plain.save(tmp_path / "new")
    assert [path.name for path in paths] == ["plain.png", "plain.svg", "plain.pdf"]
    png, svg, pdf = (path.read_bytes() for path in paths)
    assert imread(io.BytesIO(png)).shape[:2] == (200, 400)  # 200 dots an inch
    assert ElementTree.fromstring(svg).tag.endswith("svg")
    assert pdf.startswith(b"%PDF")


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_the_same_results_give_the_same_file(results, picture, kind):
    drawn_before = picture("iterations")
    assert FIGURES["iterations"](results).content(kind) == drawn_before.content(kind)
