"""The datasets of the paper's evaluation, and a user's own.

In comes a name, or the path of a description or a CSV file; out comes a `Dataset`, one frozen
table of numbers with a target. A dataset that comes with sorb is one TOML file in
``descriptions/``; its keys are listed in `sorb.lab.datasets.description`.
"""

from sorb.lab.datasets.data_file import File
from sorb.lab.datasets.dataset import Dataset, Encoder
from sorb.lab.datasets.description import NAMES, Description, Task, catalogue
from sorb.lab.datasets.download import DatasetDamaged, DatasetUnavailable
from sorb.lab.datasets.loading import describe, fetch, is_available, load, resolve_location

__all__ = [
    "NAMES",
    "Dataset",
    "DatasetDamaged",
    "DatasetUnavailable",
    "Description",
    "Encoder",
    "File",
    "Task",
    "catalogue",
    "describe",
    "fetch",
    "is_available",
    "load",
    "resolve_location",
]
