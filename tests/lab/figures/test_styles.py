from sorb.lab.figures.styles import STYLES


def test_no_two_methods_look_alike_without_colour():
    shapes = [(marker, str(style)) for _, marker, style in STYLES.values()]
    assert len(set(shapes)) == len(shapes)
