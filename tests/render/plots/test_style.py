from sorb.render.plots.style import SERIES
from sorb.render.plots.surfaces import HATCHES


def test_series_differ_without_colour():
    assert len({look["marker"] for look in SERIES}) == len(SERIES)
    assert len(set(HATCHES)) == len(SERIES)
