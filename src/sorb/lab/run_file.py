"""A run as a TOML or YAML file: read and checked, so that a mistake is found before hours of work.

=============== ==================================================================================
``parts``       a list of tables with ``datasets``, ``methods`` and ``repetitions``
``protocol``    a table with ``reg_lambdas``, ``folds`` and ``as_published``
``penalties``   a table: other L2 penalties for a method
``methods``     a table for each method of your own, with ``classifier`` and ``regressor`` (or the
                class as its name), ``grid``, ``parameters``, ``penalised`` and ``complexity``
=============== ==================================================================================
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from importlib import resources
from pathlib import Path
from typing import Any

from sorb.lab.config_files import read_config, show_value
from sorb.lab.configuration import Configuration, ConfigurationError, DatasetSource, Part
from sorb.lab.datasets import catalogue, describe, load, resolve_location
from sorb.lab.facts import MOST_REPETITIONS, MOST_UNITS, count_units, is_repetitions
from sorb.lab.iterations import COUNTERS
from sorb.lab.methods import METHODS, Method, method_of_class
from sorb.lab.protocol import REPETITIONS, Protocol
from sorb.lab.references import is_reference

_CLASSES = ("classifier", "regressor")
_SETTINGS = ("grid", "parameters", "penalised", "complexity")


def configurations() -> dict[str, Path]:
    """Find the runs that come with sorb."""
    folder = Path(str(resources.files("sorb.lab"))) / "configurations"
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def load_configuration(source: str | Path) -> Configuration:
    """Read a run from a TOML or YAML file, or one that comes with sorb by its name.

    Examples
    --------
    >>> from sorb.lab.run_file import load_configuration
    >>> smoke = load_configuration("smoke")
    >>> smoke.parts[0].datasets
    ('iris', 'diabetes', 'breast_cancer', 'friedman1', 'friedman2', 'friedman3')
    """
    known = configurations()
    path = known.get(str(source), Path(source))
    if not path.is_file():
        raise ConfigurationError(
            f"there is no run {str(source)!r}: give the path of a TOML or YAML file, "
            f"or one of {', '.join(known)}"
        )
    document = read_config(path)
    try:
        return _configuration(path, document)
    except ConfigurationError as error:
        raise ConfigurationError(f"{path}: {error}") from None


def _configuration(path: Path, document: Mapping[str, Any]) -> Configuration:
    _refuse_unknown(document, ("parts", "protocol", "penalties", "methods"), "the run")
    names = _Names(path.resolve().parent)
    for name, settings in _table(document.get("methods", {}), "methods").items():
        names.define_method(name, settings)
    parts = tuple(
        _part(part, f"parts[{k}]", names)
        for k, part in enumerate(_list(document.get("parts"), "parts"))
    )
    units = count_units((part.datasets, part.methods, part.repetitions) for part in parts)
    if units > MOST_UNITS:
        raise ConfigurationError(f"parts must have at most {MOST_UNITS:,} units, found {units:,}")
    penalties = {
        names.method(name, "penalties"): _numbers(values, f"penalties.{name}")
        for name, values in _table(document.get("penalties", {}), "penalties").items()
    }
    return Configuration(
        path.stem,
        parts,
        _protocol(document.get("protocol", {})),
        penalties,
        {name: source for name, source in names.sources.items() if source.location != name},
        names.methods,
    )


@dataclass(frozen=True, slots=True)
class _Names:
    """What the names in a run file stand for; filled while the file is read.

    Attributes
    ----------
    folder : the folder of the file.
    sources : the datasets that it names.
    methods : the user's own methods that it defines or names.
    """

    folder: Path
    sources: dict[str, DatasetSource] = field(default_factory=dict)
    methods: dict[str, Method] = field(default_factory=dict)

    def dataset(self, written: Any, place: str) -> str:
        """Return the name of a dataset, which no other may have."""
        if not isinstance(written, str):
            raise _mistake(place, "hold texts", written)
        try:
            source = DatasetSource(written, resolve_location(self.folder, written))
            name = _dataset_name(source.location)
        except (OSError, ValueError) as error:
            raise ConfigurationError(f"{place}: {str(error).rstrip('.')}") from None
        known = self.sources.setdefault(name, source)
        if known.location != source.location:
            raise ConfigurationError(
                f"{place}: {known.written} and {written} are both called {name!r}: "
                "give one of them another name, by the entry name of a description"
            )
        return name

    def method(self, name: Any, place: str) -> str:
        """Check the name of a method; a class that is named directly becomes one."""
        known = (*METHODS, *COUNTERS, *self.methods)
        if name in known:
            return str(name)
        if not isinstance(name, str) or not is_reference(name):
            raise ConfigurationError(
                f"{place}: there is no method {show_value(name)}; choose from {', '.join(known)}, "
                "or name a class of your own as package.module:Class"
            )
        self._add(name, place, {})
        return name

    def define_method(self, name: str, settings: Any) -> None:
        """Add a method of the user's own."""
        place = f"methods.{name}"
        if not name.strip() or not name.isprintable():
            raise _mistake("methods: a name", "be visible", name)
        if name in METHODS or name in COUNTERS:
            raise ConfigurationError(f"{place}: a method called {name!r} comes with sorb")
        known = _SETTINGS if is_reference(name) else (*_CLASSES, *_SETTINGS)
        _refuse_unknown(_table(settings, place), known, place)
        _check_method_types(settings, place)
        self._add(name, place, settings)

    def _add(self, name: str, place: str, settings: Mapping[str, Any]) -> None:
        try:
            if is_reference(name):
                method = method_of_class(name, self.folder, **settings)
            else:
                method = Method(**settings, folder=self.folder)
            method.check()
        except ValueError as error:
            raise ConfigurationError(f"{place}: {error}") from None
        self.methods[name] = method


def _check_method_types(settings: Mapping[str, Any], place: str) -> None:
    for name in (*_CLASSES, "complexity"):
        if not isinstance(settings.get(name, ""), str):
            raise _mistake(f"{place}.{name}", "be text", settings[name])
    _require_boolean(settings.get("penalised", False), f"{place}.penalised")
    _table(settings.get("parameters", {}), f"{place}.parameters")
    for name, values in _table(settings.get("grid", {}), f"{place}.grid").items():
        _list(values, f"{place}.grid.{name}")


def _require_boolean(value: Any, place: str) -> None:
    if not isinstance(value, bool):
        raise _mistake(place, "be true or false", value)


def _part(part: Any, place: str, names: _Names) -> Part:
    if not isinstance(part, Mapping):
        raise _mistake(place, "hold datasets and methods", part)
    _refuse_unknown(part, ("datasets", "methods", "repetitions"), place)
    datasets = _list(part.get("datasets"), f"{place}.datasets")
    methods = _list(part.get("methods"), f"{place}.methods")
    repetitions = part.get("repetitions", REPETITIONS)
    if not is_repetitions(repetitions):
        raise _mistake(
            f"{place}.repetitions", f"be a whole number from 1 to {MOST_REPETITIONS:,}", repetitions
        )
    return Part(
        tuple(names.dataset(text, f"{place}.datasets") for text in datasets),
        tuple(names.method(name, f"{place}.methods") for name in methods),
        repetitions,
    )


def _dataset_name(location: str) -> str:
    """Find the name of a dataset; a table on this machine is loaded to see that it can be."""
    description = describe(location)
    if description.folder is None:
        return description.name
    if not any(file.url for file in description.files):
        load(location)
    if description.name in {entry.name for entry in catalogue()}:
        raise ValueError(
            f"a dataset called {description.name!r} comes with sorb: choose another name, "
            "by the entry name of a description"
        )
    return description.name


def _protocol(document: Any) -> Protocol:
    _refuse_unknown(_table(document, "protocol"), [f.name for f in fields(Protocol)], "protocol")
    settings = dict(document)
    if "reg_lambdas" in settings:
        settings["reg_lambdas"] = _numbers(settings["reg_lambdas"], "protocol.reg_lambdas")
    folds = settings.get("folds", 2)
    if type(folds) is not int or folds < 2:
        raise _mistake("protocol.folds", "be a whole number ≥ 2", folds)
    _require_boolean(settings.get("as_published", False), "protocol.as_published")
    return Protocol(**settings)


def _mistake(place: str, expected: str, found: Any) -> ConfigurationError:
    return ConfigurationError(f"{place} must {expected}, found {show_value(found)}")


def _refuse_unknown(document: Mapping[str, Any], known: Sequence[str], place: str) -> None:
    for key in document:
        if key not in known:
            raise ConfigurationError(
                f"{place} has an unknown entry {show_value(key)}; it may have {', '.join(known)}"
            )


def _table(value: Any, place: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise _mistake(place, "be a table of names and values", value)
    return value


def _list(value: Any, place: str) -> list[Any]:
    if not isinstance(value, list) or not value:
        raise _mistake(place, "be a non-empty list", value)
    return value


def _numbers(values: Any, place: str) -> tuple[float, ...]:
    numbers = _list(values, place)
    for value in numbers:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not is_number or not 0 <= value < math.inf:
            raise _mistake(place, "hold finite numbers ≥ 0", value)
    return tuple(map(float, numbers))
