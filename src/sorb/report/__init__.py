"""One file that lets people see, question, change and sign a model.

A fitted estimator or a saved model comes in, with the rows that it was learned from and perhaps
others. Out goes a page of HTML that needs nothing else: its data are one JSON document, computed
here; what is drawn and refitted in the page is in `page`.
"""

from sorb.report.report import Report, report

__all__ = ["Report", "report"]
