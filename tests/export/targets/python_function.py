"""Run what `to_python` writes."""

from export.corpus import finite_scores

from sorb.export import to_python


def function(ensemble, *arguments, **options):
    module = {}
    exec(to_python(ensemble, *arguments, **options), module)
    return module["predict"]


def usable(case):
    return case.output == "score" or finite_scores(case)


def write(case):
    return to_python(case.ensemble, case.output, contributions=True)


def check(cases):
    for case in cases:
        rows = [dict(zip(case.ensemble.columns, row, strict=True)) for row in case.rows]
        pairs = list(map(function(case.ensemble, case.output, contributions=True), rows))
        case.check([answer for answer, _ in pairs], [noted for _, noted in pairs])
        plain = function(case.ensemble, case.output)
        assert [plain(**row) for row in rows] == [answer for answer, _ in pairs]
