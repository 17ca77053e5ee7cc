"""Changing a model by hand: in goes an ensemble with rows and the changes that someone wants.

Rules are dropped, added or changed, and votes are pinned; all other votes are fitted to the rows
again. Out comes another ensemble, and a log that says for each change what it did to whom. The log
is JSON and can be replayed.
"""

from sorb.editing.changes import AddRule, Change, ChangeCondition, DropRule, PinVote
from sorb.editing.edit import edit
from sorb.editing.edited import Edited, Effect
from sorb.editing.log_file import EditLogError, changes_from_json

__all__ = [
    "AddRule",
    "Change",
    "ChangeCondition",
    "DropRule",
    "EditLogError",
    "Edited",
    "Effect",
    "PinVote",
    "changes_from_json",
    "edit",
]
