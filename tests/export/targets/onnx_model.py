"""Run what `to_onnx` makes, with onnxruntime."""

import numpy as np
import onnxruntime
from export.corpus import finite_scores

from sorb.export import to_onnx


def run(model, feed):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(None, feed), strict=True))


def feed(case):
    """The inputs, as the documentation asks for them."""
    columns = case.ensemble.columns
    X = [[case.as_number(n, v) for n, v in zip(columns, row, strict=True)] for row in case.rows]
    texts = {
        name: np.array([value or "" for value in case.table[name].to_list()], dtype=object)
        for name in case.text_columns
    }
    return {"X": np.array(X, dtype=np.float64), **texts}


def numbered(classes):
    """Whether the classes have no type in common, so that the prediction is a number."""
    kinds = {type(label) for label in classes}
    return kinds not in ({str}, {int}, {float}, {int, float})


def usable(case):
    well_named = all("\0" not in name and name != "X" for name in case.text_columns)
    return well_named and (case.output == "score" or finite_scores(case))


def write(case):
    return to_onnx(case.ensemble, contributions=True)


def check(cases):
    for case in cases:
        found = run(write(case), feed(case))
        answers, classes = found[case.output].tolist(), case.ensemble.classes or (0, 1)
        if case.is_label and numbered(classes):
            answers = [classes[min(number, len(classes) - 1)] for number in answers]
        noted = found["contributions"].tolist() if len(case.ensemble) else [[] for _ in answers]
        case.check(case.restored(answers), noted)
