"""The same answers elsewhere: an ensemble as SQL, ONNX, Python, C, JavaScript or Excel formulas."""

from sorb.export.c_source import c
from sorb.export.excel_formulas import excel
from sorb.export.javascript_source import javascript
from sorb.export.onnx_graph import onnx_model
from sorb.export.program import Output
from sorb.export.python_source import python_function
from sorb.export.sql_query import sql

__all__ = ["Output", "c", "excel", "javascript", "onnx_model", "python_function", "sql"]
