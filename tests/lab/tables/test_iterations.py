from sorb.lab.tables import TABLES


def test_iterations_are_means(results):
    table = TABLES["iterations"](results)
    cell = table.cell("path", "iris", "s = 2")
    assert (cell.ours.value, cell.ours.repetitions) == (3.5, 2)  # 3 and 4
    assert table.cell("path", "housing", "s = 3").value == "–"
    assert table.cell("bisection, doublings", "iris", "s = 1").value == "2.00"
