"""What stands on the axes of a plot."""


def lines(axes):
    return {line.get_label(): line for line in axes.lines}
