"""Mutated model files: each is read and predicts, or is refused with the library's own error."""

import copy
import json
import math
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
from attacks.commands import call
from attacks.refusals import is_refusal
from export.random_models import drawn
from hostile_names import NAMES

from sorb import Membership, ModelFormatError, RuleEnsemble

FIRST = Path(__file__).parents[1] / "rules" / "first_version.json"
NUMBERS = [0, -0.0, 1, -1, 2, 0.5, 1e308, -1e308, 5e-324, 1e-300, 2**53 + 1, 2**63, 10**400]
NUMBERS += [math.nan, math.inf, -math.inf]
VALUES = [None, True, False, "", "a", [], {}, [[]], [0], {"a": 1}, *NUMBERS]
TOKENS = [b"NaN", b"1e999", b"-", b"[" * 5000, b'{"a":' * 5000, b'"', b"\\", b"\\u0000", b"\0"]
TOKENS += [
    b"\\ud800",
    b"\xff",
    b"\xef\xbb\xbf",
    b"null",
    b"1" * 5000,
    b",",
    b"}",
    b"]",
    b" " * 5000,
]
# The errors of Python that checks wait for: texts that are not UTF-8, or not JSON.
AWAITED = (UnicodeError, json.JSONDecodeError, RecursionError)
MOST_REPEATED = 50_000  # characters of a document in which a part is repeated
SHOWN = 0.02  # of the files are also shown by the command line, which takes longer


def attack(seed):
    """Mutate a model file, or leave it as it is; say whether it was read or refused."""
    random = np.random.default_rng(seed)
    models = bases()
    document = models[random.integers(len(models))]
    unchanged = seed % 10 == 0
    mutate = random.choice([mutated_bytes, mutated_values])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.json")
        path.write_bytes(document.encode() if unchanged else mutate(random, document))
        ensemble = loaded(path)
        if random.random() < SHOWN:
            message = call("show", path)[1]
            assert bool(message) == (ensemble is None), message
    if ensemble is None:
        assert not unchanged, "a model file that is as it was saved is refused"
        return "refused"
    check(ensemble)
    return "unchanged and read" if unchanged else "read"


def loaded(path):
    """The model in a file; None if it is refused in the right way."""
    try:
        return RuleEnsemble.load(path)
    except ModelFormatError as error:
        check_refusal(error, path)
        return None


def check_refusal(error, path):
    """Require that an error says where the problem is and what, and comes from a check."""
    assert error.file == str(path)
    assert error.place.strip()
    assert error.problem.strip()
    assert str(error).endswith(f"{error.place}: {error.problem}")
    while error is not None:
        assert is_refusal(error) or isinstance(error, AWAITED)
        error = error.__cause__


@cache
def bases():
    """Documents of models of all kinds."""
    models = [ensemble.to_json() for ensemble, _, _ in drawn(60)]
    return [FIRST.read_text("utf-8"), *models]


def check(ensemble):
    """Require that a model can be printed, saved and asked."""
    assert RuleEnsemble.from_json(ensemble.to_json()) == ensemble
    assert ensemble.describe()
    with np.errstate(all="ignore"):
        assert len(ensemble(rows(ensemble))) == 3
        assert len(ensemble.predict(rows(ensemble))) == 3


def rows(ensemble):
    """Three rows that fit the model: numbers, nothing at all, and categories that a rule asks for.

    A column that some rule computes with holds numbers only.
    """
    asked = [p for rule in ensemble for p in rule.condition.propositions]
    known = {p.column: p.categories[0] for p in asked if isinstance(p, Membership) and p.categories}
    numbers = {name for p in asked if not isinstance(p, Membership) for name in p.columns}
    columns = ensemble.columns
    third = [0 if name in numbers else known.get(name, 0) for name in columns]
    table = np.empty((3, len(columns)), dtype=object)
    for row, values in zip(table, [1.0, None, third], strict=True):
        row[:] = values
    return table


def mutated_bytes(random, text):
    """Damage a file as a disk, an editor or an attacker might."""
    content = bytearray(text.encode())
    for _ in range(random.choice([1, 1, 1, 2, 5])):
        damage = random.choice([_flip, _truncate, _remove, _repeat, _swap, _insert, _digit])
        damage(random, content)
        if not content:
            break
    return bytes(content)


def _flip(random, content):
    content[random.integers(len(content))] ^= 1 << int(random.integers(8))


def _truncate(random, content):
    del content[random.integers(len(content)) :]


def _piece(random, content):
    start = random.integers(len(content))
    return slice(start, start + random.integers(1, 40))


def _remove(random, content):
    del content[_piece(random, content)]


def _repeat(random, content):
    piece = _piece(random, content)
    content[piece] = content[piece] * int(random.choice([2, 3, 1000]))


def _swap(random, content):
    one, two = _piece(random, content), _piece(random, content)
    content[one], content[two] = content[two], content[one]


def _insert(random, content):
    place = random.integers(len(content))
    content[place:place] = TOKENS[random.integers(len(TOKENS))]


def _digit(random, content):
    places = [i for i, byte in enumerate(content) if chr(byte).isdigit()]
    if places:
        content[places[random.integers(len(places))]] = ord(random.choice(list("0123456789.e-")))


def mutated_values(random, text):
    """Change a document, so that it stays JSON but is no model, or another one."""
    document = json.loads(text)
    for _ in range(random.choice([1, 1, 1, 2, 5])):
        change = random.choice([_replace, _replace, _exchange, _drop, _rename, _multiply, _nest])
        change(random, document)
    return json.dumps(document, ensure_ascii=bool(random.integers(2))).encode("utf-8", "replace")


def _places(document):
    """All containers of a document, with the keys of what they hold."""
    found, todo = [], [document]
    while todo:
        container = todo.pop()
        items = container.items() if isinstance(container, dict) else enumerate(container)
        for key, value in items:
            found.append((container, key))
            if isinstance(value, (dict, list)):
                todo.append(value)
    return found


def _place(random, document):
    found = _places(document) or [({"": None}, "")]
    return found[random.integers(len(found))]


def _replace(random, document):
    container, key = _place(random, document)
    container[key] = copy.deepcopy(_value(random))


def _value(random):
    if random.random() < 0.2:
        return NAMES[random.integers(len(NAMES))]
    if random.random() < 0.2:
        return float(random.normal() * 10.0 ** random.integers(-320, 308))
    return VALUES[random.integers(len(VALUES))]


def _exchange(random, document):
    (one, first), (two, second) = _place(random, document), _place(random, document)
    value = copy.deepcopy(one[first])
    one[first], two[second] = copy.deepcopy(two[second]), value


def _drop(random, document):
    container, key = _place(random, document)
    del container[key]


def _rename(random, document):
    container, key = _place(random, document)
    if isinstance(container, dict):
        other = ["weight", "columns", "a", "", "kind", "missing", "units"][random.integers(7)]
        container[other] = container.pop(key)


def _multiply(random, document):
    container, key = _place(random, document)
    times = int(random.choice([0, 2, 300]))
    # Far more than a model file may hold would only fill the memory of the attack itself.
    if isinstance(container[key], (list, str)) and len(json.dumps(document)) < MOST_REPEATED:
        container[key] = container[key] * times


def _nest(random, document):
    container, key = _place(random, document)
    for _ in range(random.choice([1, 2, 200])):
        container[key] = [container[key]] if random.random() < 0.5 else {"a": container[key]}
