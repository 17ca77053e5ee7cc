"""What looks odd about a table, before or beside learning from it.

A table and, if there are any, its outcomes come in: as users have them (`check`), or as an
estimator has read them (`warn_of_serious_findings`). What goes out is a `TableReport` of findings,
each with what is odd, what that may do to a model and how to act. Each kind of finding is a
function in a file of its own, from a `CheckedTable` to findings; `check_table.py` lists them.
"""

from sorb.checks.check_table import check
from sorb.checks.finding import Finding, Severity
from sorb.checks.report import TableReport
from sorb.checks.warn import TableWarning, warn_of_serious_findings

__all__ = [
    "Finding",
    "Severity",
    "TableReport",
    "TableWarning",
    "check",
    "warn_of_serious_findings",
]
