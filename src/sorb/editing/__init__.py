"""Changing a model by hand: in goes an ensemble with rows and the changes that someone wants.

Rules are dropped, forbidden, added or changed, and votes are pinned; all other votes are fitted to
the rows again. Out comes another ensemble, and a log that says for each change who made it, why,
and what it did to whom. The log is JSON; replayed, it gives the same model to the last digit.
"""

from sorb.editing.changes import AddRule, Change, ChangeCondition, DropRule, ForbidRule, PinVote
from sorb.editing.edit import edit
from sorb.editing.edited import Edited, Effect
from sorb.editing.log_file import EditLog, EditLogError

__all__ = [
    "AddRule",
    "Change",
    "ChangeCondition",
    "DropRule",
    "EditLog",
    "EditLogError",
    "Edited",
    "Effect",
    "ForbidRule",
    "PinVote",
    "edit",
]
