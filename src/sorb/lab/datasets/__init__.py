"""The datasets of the paper's evaluation, and a user's own, each as one frozen table of numbers.

Each is described by one TOML file; how such a file is written is said in
`sorb.lab.datasets.description`.
"""

from sorb.lab.datasets.dataset import Dataset, Encoder
from sorb.lab.datasets.description import NAMES, Description, File, Task, catalogue
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
