"""Spoiled files of the laboratory: each is read, or refused in one line that names the file."""

import copy
import json
import math
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
from attacks.commands import call
from attacks.refusals import only_own_warnings
from synthetic_results import curve, written

from sorb.lab.results import SCHEMA
from sorb.lab.run_file import load_configuration

DESCRIPTION = {
    "name": "cars",
    "title": "Cars",
    "task": "regression",
    "target": "price",
    "loss": "gamma",
    "exposure": "years",
    "outcome": "the price of a car",
    "size": [4, 3],
    "columns": ["weight", "maker"],
    "ignored": ["seats"],
    "categories": ["maker"],
    "log": ["weight"],
    "units": {"weight": "kg"},
    "source": "a magazine",
    "licence": "free",
    "note": "invented",
    "file": "cars.csv",
    "max_megabytes": 1,
    "max_minutes": 0.5,
    "reader": "csv",
    "header": {"Weight": "weight"},
    "values": {"maker": {"1": "A", "2": "B"}},
}
CARS = "price,Weight,maker,seats,years\n9,800,1,4,1\n12,900,2,4,2\n7,700,1,5,1\n8,950,2,5,3\n"
GENERATED = {
    "target": "y",
    "generator": "sklearn.datasets.make_friedman1",
    "arguments": {"n_samples": 20, "n_features": 5, "noise": 0.1, "random_state": 0},
}
CLASSES = {"target": "maker", "file": "cars.csv", "positive": 1, "ignored": ["seats"]}
RUN = {
    "parts": [
        {"datasets": ["iris", "cars.csv:price"], "methods": ["LLTB", "mine"], "repetitions": 2}
    ],
    "methods": {"mine": {"regressor": "sklearn.linear_model:Ridge"}},
    "protocol": {"reg_lambdas": [0.1, 1.0], "folds": 5},
}
FACTS = {
    "configuration": "two",
    "settings": {"folds": 5, "reg_lambdas": [1.0]},
    "parts": [{"datasets": ["iris", "cars"], "methods": ["LLTB", "TGB"], "repetitions": 2}],
    "methods": {"mine": {"base": "LLTB"}},
    "sources": {"cars": {"location": "cars.csv", "sha256": "0" * 64}},
    "commands": [{"command": "sorb lab run two", "date": "2024-02-29", "machine": "x"}],
}

TOKENS = [b"[", b"]", b"{", b"}", b'"', b"'", b"=", b".", b",", b"#", b"\n", b"\0", b"\xff"]
TOKENS += [b"\\u0000", b"nan", b"-inf", b"1e999", b"9" * 50, b"0x" + b"f" * 40, b"2024-13-45"]
TOKENS += [b"[[", b"[" * 2000, b"&a", b"*a", b"<<: *a", b"!!bool x", b": ", b"- "]
TOKENS += [b"\xed\xa0\x80", b"\xe2\x80\xa8"]


@dataclass(frozen=True)
class Raw:
    """A value that is written as it is, since only TOML knows it."""

    text: str


VALUES = ["", " ", "x", "../x", "/etc/passwd", "a\0b", "é" * 300, "iris", "nul.csv", "x.toml"]
VALUES += ["x.csv:y", 0, 1, -1, 3, 2**63 - 1, 10**30, 0.5, -0.0, 1e308, True, False]
VALUES += [[], [[]], [1, "a"], ["x"] * 3, {}, {"a": 1}, {"a": {"b": []}}, [{}], {"": ""}]
DATES = [Raw("2024-02-30"), Raw("2024-02-29"), Raw("1979-05-27T07:32:00Z"), Raw("07:32:00")]
VALUES_OF_TOML = [*VALUES, *DATES, Raw("nan"), Raw("inf")]
VALUES_OF_RESULTS = [None, 0.0, -1.0, 1.0, 1e308, -1e308, 5e-324, math.inf, math.nan, 2**31 - 1]
VALUES_OF_RESULTS += ["", "x", "a\nb", "\x1b[31m", "é" * 300, "iris", "regression"]
TASKS = ("iris", "diabetes")


def attack(seed):
    """Spoil a file, or leave it as it is; say whether it was read or refused."""
    random = Random(seed)
    read = [read_description, read_run_file, read_facts, read_unit][seed % 4]
    changes = 0 if seed // 4 % 10 == 0 else random.randint(1, 3)
    with tempfile.TemporaryDirectory() as folder, only_own_warnings():
        message = read(random, Path(folder), changes)
    if not message:
        return "read" if changes else "unspoilt and read"
    assert changes, message
    assert folder in message or "dataset '" in message, message
    assert says_what(message), message
    return "refused"


def says_what(message):
    """Whether a message holds more than a path: some words, and no reason that is empty."""
    words = [word for word in message.split() if word.strip("'\".,:;").isalpha()]
    return len(words) >= 2 and not re.search(r": *(\.|$)", message)


def read_description(random, folder, changes):
    """Save the table that a description describes."""
    document = random.choice([DESCRIPTION, DESCRIPTION, CLASSES, GENERATED])
    (folder / "cars.csv").write_text(CARS, encoding="utf-8")
    path = folder / "cars.toml"
    path.write_bytes(spoiled_toml(random, document, changes))
    return call("lab", "datasets", "--save", path, "--out", folder / "saved.csv")[1]


def read_run_file(random, folder, changes):
    """Read the configuration of a run."""
    (folder / "cars.csv").write_text(CARS, encoding="utf-8")
    path = folder / "run.toml"
    path.write_bytes(spoiled_toml(random, RUN, changes))
    try:
        load_configuration(path)
    except (ValueError, OSError) as error:
        message = str(error)
    else:
        message = ""
    assert "\n" not in message
    return message


def read_facts(random, folder, changes):
    """Ask for the state of a run."""
    _write_units(folder)
    if random.random() < 0.5:
        content = json.dumps(spoil_values(random, FACTS, VALUES, changes)).encode()
    else:
        content = spoil_bytes(random, json.dumps(FACTS).encode(), changes)
    (folder / "run.json").write_bytes(content)
    return call("lab", "status", folder)[1]


def read_unit(random, folder, changes):
    """Ask for the state of a run, and make its tables."""
    path = random.choice(_write_units(folder))
    if random.random() < 0.3:
        rows = pq.read_table(path).to_pylist()
        _write_rows(path, spoil_values(random, rows, VALUES_OF_RESULTS, changes))
    else:
        path.write_bytes(spoil_bytes(random, path.read_bytes(), changes))
    refused = call("lab", "status", folder)[1]
    return refused or call("lab", "tables", folder)[1]


def _write_units(folder):
    points = [(2.0, 0.8), (5.0, 0.6), (9.0, 0.5)]
    units = [(name, method, k) for name in TASKS for method in ("LLTB", "TGB") for k in range(2)]
    written(folder, {unit: curve(unit[0], points) for unit in units})
    return sorted((folder / "units").glob("*.parquet"))


def _write_rows(path, rows):
    """Write what fits into the columns."""
    known = [row for row in rows if isinstance(row, dict)]
    columns = {}
    for column in SCHEMA:
        values = [row.get(column.name) for row in known]
        try:
            columns[column.name] = pa.array(values, column.type)
        except (pa.ArrowException, TypeError, OverflowError):
            columns[column.name] = pa.nulls(len(known), column.type)
    pq.write_table(pa.table(columns, schema=SCHEMA), path)


def spoiled_toml(random, document, changes):
    if random.random() < 0.5:
        return spoil_bytes(random, as_toml(document).encode(), changes)
    return as_toml(spoil_values(random, document, VALUES_OF_TOML, changes)).encode()


def spoil_bytes(random, content, changes):
    """Cut, repeat, overwrite or add some bytes."""
    for _ in range(changes):
        start = random.randint(0, len(content))
        end = min(len(content), start + random.choice([0, 1, 1, 4, 40, 10**9]))
        noise = random.randbytes(min(end - start, 100))
        piece = random.choice([b"", content[start:end] * 2, random.choice(TOKENS), noise])
        content = content[:start] + piece + content[end:]
    return content


def spoil_values(random, document, values, changes):
    """Replace, remove or add some values."""
    document = copy.deepcopy(document)
    for _ in range(changes):
        place = random.choice(list(_containers(document)))
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = random.choice([*keys, "new"] if isinstance(place, dict) else keys or [None])
        if key is None:
            place.append(random.choice(values))
        elif random.random() < 0.2 and key in keys:
            del place[key]
        else:
            place[key] = copy.deepcopy(random.choice(values))
    return document


def _containers(value):
    if isinstance(value, (dict, list)):
        yield value
        for item in value.values() if isinstance(value, dict) else value:
            yield from _containers(item)


def as_toml(document):
    return "".join(f"{json.dumps(key)} = {_toml(value)}\n" for key, value in document.items())


def _toml(value):
    if isinstance(value, Raw):
        return value.text
    if isinstance(value, dict):
        pairs = (f"{json.dumps(key)} = {_toml(item)}" for key, item in value.items())
        return f"{{ {', '.join(pairs)} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value)
