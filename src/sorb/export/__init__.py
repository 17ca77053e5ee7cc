"""The same answers elsewhere: a `RuleEnsemble` comes in, code for another system goes out.

Each function `to_…` writes for one target: SQL, ONNX, Python, R, C, JavaScript or Excel. All of
them start from the same `sorb.export.program.Program`, so they differ in notation, not in
arithmetic.
"""

from sorb.export.c_source import to_c
from sorb.export.excel_formulas import to_excel
from sorb.export.excel_workbook import to_workbook
from sorb.export.javascript_source import to_javascript
from sorb.export.onnx_graph import to_onnx
from sorb.export.program import Output
from sorb.export.python_source import to_python
from sorb.export.r_source import to_r
from sorb.export.sql_query import to_sql

__all__ = [
    "Output",
    "to_c",
    "to_excel",
    "to_javascript",
    "to_onnx",
    "to_python",
    "to_r",
    "to_sql",
    "to_workbook",
]
