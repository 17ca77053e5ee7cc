"""The JSON document of a rule ensemble: what it must look like, and errors that say where."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias, TypedDict, cast

from sorb.losses import loss_by_name, parameter_names

__all__ = [
    "FORMAT",
    "LARGEST_FILE",
    "TOP",
    "VERSION",
    "ColumnExperienceDocument",
    "EnsembleDocument",
    "ModelFormatError",
    "PropositionDocument",
    "RecordDocument",
    "RuleDocument",
    "check_size",
    "errors_at",
    "errors_in",
    "parse_document",
    "write_document",
]

FORMAT = "sorb.rule-ensemble"
VERSION = 1

# In bytes. The models of our datasets need less than 10 kB; half a million columns would fit.
LARGEST_FILE = 10_000_000
# The largest float64 has 309 digits before the point.
MOST_DIGITS = 1000

TOP = "top level"


# One proposition of the file; its kind determines which other keys it has.
PropositionDocument: TypeAlias = dict[str, Any]
# Where a model comes from: texts, objects of texts, and the number of training rows.
RecordDocument: TypeAlias = dict[str, Any]
# What one column held in training; whether it held numbers or categories determines the keys.
ColumnExperienceDocument: TypeAlias = dict[str, Any]


class RuleDocument(TypedDict):
    """One rule of the file."""

    weight: float
    output: int
    condition: tuple[PropositionDocument, ...]


class _RequiredParts(TypedDict):
    format: str
    version: int
    loss: str
    classes: tuple[str | int | float | bool, ...] | None
    columns: tuple[str, ...]
    offset: float | tuple[float, ...]
    rules: tuple[RuleDocument, ...]


class EnsembleDocument(_RequiredParts, total=False):
    """The whole file; the parameters of the loss, if it has any, have keys of their own."""

    units: dict[str, str]
    per_exposure: bool
    experience: dict[str, ColumnExperienceDocument]
    record: RecordDocument | None


class ModelFormatError(ValueError):
    """A model file violates the format.

    Attributes
    ----------
    place : str
        Where in the file, like `rules[2].condition[0].weights`.
    problem : str
        What was found there, and what was expected.
    file : str or None
        The file; None for a text that was not read from a file.

    Examples
    --------
    >>> print(ModelFormatError("rules[0].weight", "expected a number, found null"))
    rules[0].weight: expected a number, found null
    """

    def __init__(self, place: str, problem: str, file: str | None = None) -> None:
        super().__init__(place, problem, file)
        self.place = place
        self.problem = problem
        self.file = file

    def __str__(self) -> str:
        what = f"{self.file} is not a model that this version can read: " if self.file else ""
        return f"{what}{self.place}: {self.problem}"


@contextmanager
def errors_at(place: str) -> Iterator[None]:
    """Turn the errors of values that cannot be built into errors at a place in the file."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise ModelFormatError(place, _shorten(str(error), 1000)) from error


@contextmanager
def errors_in(file: str) -> Iterator[None]:
    """Name the file in errors."""
    try:
        yield
    except ModelFormatError as error:
        raise ModelFormatError(error.place, error.problem, file) from error


def write_document(document: EnsembleDocument, indent: int | None) -> str:
    """Write a document as JSON text; floats are written so that they read back bit for bit."""
    text = json.dumps(document, indent=indent, ensure_ascii=False, allow_nan=False)
    check_size(len(text.encode()) + 1)  # with the newline at the end of a file
    return text


def check_size(size: int) -> None:
    """Refuse a document of more bytes than a model file may have."""
    if size > LARGEST_FILE:
        raise ModelFormatError("size", f"a model file has at most {LARGEST_FILE:,} bytes")


def parse_document(text: str) -> EnsembleDocument:
    """Read JSON text and check the form of each part.

    Whether the parts fit together (no unknown column, no contradiction …) is checked by the rules
    and ensembles that are built from them.
    """
    if not isinstance(text, (str, bytes, bytearray)):
        raise TypeError(f"expected a model as JSON text, found {type(text).__name__}")
    check_size(len(text))
    top = _mapping(_parse(text), TOP)
    _check_format(top)
    loss = _loss(top)
    parameters = parameter_names(loss)
    required = {*EnsembleDocument.__required_keys__, *parameters}
    _check_keys(top, required, TOP, optional=EnsembleDocument.__optional_keys__)
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "loss": loss,
        **{key: _number(top[key], key) for key in parameters},
        "classes": _classes(top["classes"], "classes"),
        "columns": _texts(top["columns"], "columns"),
        "offset": _offset(top["offset"], "offset"),
        "rules": tuple(_rule(rule, place) for place, rule in _items(top["rules"], "rules")),
        "units": _texts_by_name(top.get("units", {}), "units"),
        "per_exposure": _flag(top.get("per_exposure", False), "per_exposure"),
        "experience": {
            name: _column_experience(value, f"experience.{name}")
            for name, value in _mapping(top.get("experience", {}), "experience").items()
        },
        "record": _record(top["record"]) if "record" in top else None,
    }
    return cast(EnsembleDocument, document)


def _loss(top: dict[str, Any]) -> str:
    # The keys depend on the loss, so it is checked first.
    loss = _text(_get(top, "loss", TOP), "loss")
    with errors_at(TOP):
        loss_by_name(loss)
    return loss


def _rule(value: Any, place: str) -> RuleDocument:
    rule = _mapping(value, place)
    _check_keys(rule, RuleDocument.__required_keys__, place)
    condition = _items(rule["condition"], f"{place}.condition")
    return {
        "weight": _number(rule["weight"], f"{place}.weight"),
        "output": _integer(rule["output"], f"{place}.output"),
        "condition": tuple(_proposition(item, where) for where, item in condition),
    }


def _proposition(value: Any, place: str) -> PropositionDocument:
    proposition = _mapping(value, place)
    # The keys depend on the kind, so it is checked first.
    kind = _kind(proposition, place)
    readers = KINDS[kind]
    _check_keys(proposition, {"kind", *readers}, place, optional={"missing"})
    read = {key: reader(proposition[key], f"{place}.{key}") for key, reader in readers.items()}
    missing = _flag(proposition.get("missing", False), f"{place}.missing")
    return {"kind": kind, **read, "missing": missing}


def _column_experience(value: Any, place: str) -> ColumnExperienceDocument:
    seen = _mapping(value, place)
    _check_keys(seen, {"missing"}, place, optional={"range", "categories"})
    document: ColumnExperienceDocument = {"missing": _flag(seen["missing"], f"{place}.missing")}
    if "range" in seen:
        document["range"] = _numbers(seen["range"], f"{place}.range")
    if "categories" in seen:
        document["categories"] = _labels(seen["categories"], f"{place}.categories")
    return document


def _record(value: Any) -> RecordDocument:
    record = _mapping(value, "record")
    required = {"estimator", "settings", "versions", "n_rows"}
    _check_keys(record, required, "record", optional={"reg_lambda", "target", "test_rows"})
    return {
        "estimator": _text(record["estimator"], "record.estimator"),
        "settings": _texts_by_name(record["settings"], "record.settings"),
        "versions": _texts_by_name(record["versions"], "record.versions"),
        "n_rows": _integer(record["n_rows"], "record.n_rows"),
        "reg_lambda": _number(record["reg_lambda"], "record.reg_lambda")
        if "reg_lambda" in record
        else None,
        "target": _text(record.get("target", ""), "record.target"),
        "test_rows": _text(record.get("test_rows", ""), "record.test_rows"),
    }


def _texts_by_name(value: Any, place: str) -> dict[str, str]:
    return {key: _text(text, f"{place}.{key}") for key, text in _mapping(value, place).items()}


def _kind(proposition: dict[str, Any], place: str) -> str:
    kind = _get(proposition, "kind", place)
    if not isinstance(kind, str) or kind not in KINDS:
        known = ", ".join(map(json.dumps, KINDS))
        raise ModelFormatError(
            f"{place}.kind", f"this version of sorb knows {known}, found {_found(kind)}"
        )
    return kind


def _check_format(top: dict[str, Any]) -> None:
    # A later version may have other keys, so the version is checked before them.
    found = _get(top, "format", TOP)
    if found != FORMAT:
        raise ModelFormatError("format", f'expected "{FORMAT}", found {_found(found)}')
    version = _integer(_get(top, "version", TOP), "version")
    if version != VERSION:
        raise ModelFormatError(
            "version", f"this version of sorb reads version {VERSION}, found {version}"
        )


def _parse(text: str) -> Any:
    try:
        # NaN and Infinity pass here, and are rejected later, where their place is known.
        return json.loads(text, object_pairs_hook=_without_repeated_keys, parse_int=_parse_integer)
    except json.JSONDecodeError as error:
        raise ModelFormatError("JSON", f"not JSON text: {error}") from error
    except RecursionError as error:
        raise ModelFormatError("JSON", "nested too deeply") from error


def _parse_integer(text: str) -> int:
    # Python takes long for integers of many digits, or refuses them, depending on its version.
    if len(text) > MOST_DIGITS:
        raise ModelFormatError("JSON", f"a number has {len(text)} digits, too many for a float64")
    return int(text)


def _without_repeated_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping: dict[str, Any] = {}
    for key, value in pairs:
        if key in mapping:
            raise ModelFormatError("JSON", f"the key {_found(key)} occurs twice in one object")
        mapping[key] = value
    return mapping


def _get(mapping: dict[str, Any], key: str, place: str) -> Any:
    if key not in mapping:
        raise ModelFormatError(place, f'the key "{key}" is missing')
    return mapping[key]


def _check_keys(
    mapping: dict[str, Any],
    expected: Collection[str],
    place: str,
    optional: Collection[str] = frozenset(),
) -> None:
    for key in sorted(expected):
        _get(mapping, key, place)
    for key in mapping:
        if key not in expected and key not in optional:
            known = ", ".join(sorted([*expected, *optional]))
            raise ModelFormatError(
                place, f"the key {_found(key)} is not known; expected only {known}"
            )


def _mapping(value: Any, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _unexpected(value, place, "an object")
    return value


def _items(value: Any, place: str, what: str = "objects") -> Iterator[tuple[str, Any]]:
    if not isinstance(value, list):
        raise _unexpected(value, place, f"an array of {what}")
    return ((f"{place}[{i}]", item) for i, item in enumerate(value))


def _texts(value: Any, place: str) -> tuple[str, ...]:
    return tuple(_text(item, where) for where, item in _items(value, place, "strings"))


def _numbers(value: Any, place: str) -> tuple[float, ...]:
    return tuple(_number(item, where) for where, item in _items(value, place, "numbers"))


def _labels(value: Any, place: str) -> tuple[str | int | float | bool, ...]:
    return tuple(_label(item, where) for where, item in _items(value, place, "labels"))


def _classes(value: Any, place: str) -> tuple[str | int | float | bool, ...] | None:
    if value is not None and not isinstance(value, list):
        raise _unexpected(value, place, "an array of labels, or null")
    return None if value is None else _labels(value, place)


def _offset(value: Any, place: str) -> float | tuple[float, ...]:
    return _numbers(value, place) if isinstance(value, list) else _number(value, place)


def _flag(value: Any, place: str) -> bool:
    if not isinstance(value, bool):
        raise _unexpected(value, place, "true or false")
    return value


def _text(value: Any, place: str) -> str:
    if not isinstance(value, str):
        raise _unexpected(value, place, "a string")
    return value


def _number(value: Any, place: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _unexpected(value, place, "a number")
    try:
        result = float(value)
    except OverflowError:
        result = math.inf
    # JSON has no infinity, but 1e999 is read as one.
    if not math.isfinite(result):
        raise ModelFormatError(place, f"expected a finite number, found {json.dumps(result)}")
    return result


def _integer(value: Any, place: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise _unexpected(value, place, "an integer")
    return value


def _label(value: Any, place: str) -> str | int | float | bool:
    if isinstance(value, float):
        return _number(value, place)
    if not isinstance(value, (str, int)):
        raise _unexpected(value, place, "a string, a number or a boolean")
    return value


def _unexpected(value: Any, place: str, expected: str) -> ModelFormatError:
    return ModelFormatError(place, f"expected {expected}, found {_found(value)}")


def _found(value: Any) -> str:
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "an array"
    return _shorten(json.dumps(value, ensure_ascii=False), 40)


def _shorten(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


# How the keys of each kind of proposition are read; all of them may have `missing`.
KINDS: dict[str, dict[str, Callable[[Any, str], Any]]] = {
    "linear": {"columns": _texts, "weights": _numbers, "threshold": _number},
    "product": {"columns": _texts, "powers": _numbers, "threshold": _number, "at_most": _flag},
    "membership": {"column": _text, "categories": _labels, "negated": _flag},
}
