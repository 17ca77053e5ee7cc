"""A run as a document: which methods on which datasets, how often, and with what settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from importlib import resources
from pathlib import Path
from typing import Any

from sorb.lab import documents
from sorb.lab.datasets import catalogue, describe, load, seen_from
from sorb.lab.iterations import COUNTERS
from sorb.lab.methods import METHODS
from sorb.lab.protocol import REPETITIONS, Protocol
from sorb.lab.results import Unit


class ConfigurationError(ValueError):
    """A run is not described in a way that can be followed."""


@dataclass(frozen=True, slots=True)
class Part:
    """All of some methods on all of some datasets."""

    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    repetitions: int = REPETITIONS


@dataclass(frozen=True, slots=True)
class Source:
    """A dataset as the document of a run names it, and as `load` takes it."""

    written: str
    location: str


@dataclass(frozen=True, slots=True)
class Only:
    """What is asked for of a run; nothing said about something asks for all of it."""

    datasets: frozenset[str] = frozenset()
    methods: frozenset[str] = frozenset()
    repetitions: int | None = None

    def asks_for(self, unit: Unit) -> bool:
        """Tell whether a unit is asked for."""
        return (
            (not self.datasets or unit.dataset in self.datasets)
            and (not self.methods or unit.method in self.methods)
            and (self.repetitions is None or unit.repetition < self.repetitions)
        )


@dataclass(frozen=True, slots=True)
class Configuration:
    """What a run consists of.

    Attributes
    ----------
    name : what it is called.
    parts : all that belongs to it.
    protocol : how it is done.
    exceptions : the strengths of the penalty for methods that cannot afford all of them.
    sources : where datasets come from, by their names; others are loaded by their names.
    only : what is asked for of the parts.
    """

    name: str
    parts: tuple[Part, ...]
    protocol: Protocol = field(default_factory=Protocol)
    exceptions: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    sources: Mapping[str, Source] = field(default_factory=dict)
    only: Only = field(default_factory=Only)

    def units(self) -> list[Unit]:
        """List what is to be done: all of the first repetition first."""
        units = {
            Unit(repetition, dataset, method)
            for part in self.parts
            for repetition in range(part.repetitions)
            for dataset in part.datasets
            for method in part.methods
        }
        return sorted(filter(self.only.asks_for, units))

    def location_of(self, dataset: str) -> str:
        """Give what `load` takes for a dataset."""
        return self.sources[dataset].location if dataset in self.sources else dataset

    def protocol_of(self, method: str) -> Protocol:
        """Give the protocol, with the method's own penalties."""
        own = self.exceptions.get(method, self.protocol.reg_lambdas)
        return replace(self.protocol, reg_lambdas=own)

    def narrowed(
        self,
        datasets: Sequence[str] = (),
        methods: Sequence[str] = (),
        repetitions: int | None = None,
        as_published: bool = False,
    ) -> Configuration:
        """Ask only for some datasets, methods or repetitions, or follow the published protocol.

        A dataset is named as the tables name it, or as the document of the run does.
        """
        names = {source.written: name for name, source in self.sources.items()}
        datasets = [names.get(text, text) for text in datasets]
        _require(datasets, {name for part in self.parts for name in part.datasets}, "datasets")
        _require(methods, {name for part in self.parts for name in part.methods}, "methods")
        protocol = replace(self.protocol, as_published=as_published or self.protocol.as_published)
        only = Only(frozenset(datasets), frozenset(methods), repetitions)
        return replace(self, protocol=protocol, only=only)

    def settings(self) -> dict[str, Any]:
        """What must not change between the beginning of a run and its continuation."""
        return {
            "reg_lambdas": list(self.protocol.reg_lambdas),
            "folds": self.protocol.folds,
            "as_published": self.protocol.as_published,
            "exceptions": {name: list(values) for name, values in self.exceptions.items()},
        }


def _require(wanted: Sequence[str], known: set[str], what: str) -> None:
    for name in wanted:
        if name not in known:
            raise ConfigurationError(
                f"{name!r} is not among the {what} of this run: {', '.join(sorted(known))}"
            )


def configurations() -> dict[str, Path]:
    """Find the runs that come with sorb."""
    folder = Path(str(resources.files("sorb.lab"))) / "configurations"
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def load_configuration(source: str | Path) -> Configuration:
    """Read a run from a TOML or YAML file, or one that comes with sorb by its name.

    Examples
    --------
    >>> from sorb.lab.configuration import load_configuration
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
    document = documents.read(path)
    try:
        return _configuration(path, document)
    except ConfigurationError as error:
        raise ConfigurationError(f"{path}: {error}") from None


def _configuration(path: Path, document: Mapping[str, Any]) -> Configuration:
    _only(document, ("parts", "protocol", "penalties"), "the run")
    sources: dict[str, Source] = {}
    parts = tuple(
        _part(part, f"parts[{k}]", path.parent, sources)
        for k, part in enumerate(_list(document.get("parts"), "parts"))
    )
    exceptions = document.get("penalties", {})
    return Configuration(
        path.stem,
        parts,
        _protocol(document.get("protocol", {})),
        {
            _known_method(name, "penalties"): _numbers(values, f"penalties.{name}")
            for name, values in exceptions.items()
        },
        {name: source for name, source in sources.items() if source.location != name},
    )


def _part(part: Any, place: str, folder: Path, sources: dict[str, Source]) -> Part:
    """Check a part, and note where its datasets come from."""
    if not isinstance(part, Mapping):
        raise ConfigurationError(f"{place} must hold datasets and methods, found {part!r}")
    _only(part, ("datasets", "methods", "repetitions"), place)
    datasets = _list(part.get("datasets"), f"{place}.datasets")
    methods = _list(part.get("methods"), f"{place}.methods")
    repetitions = part.get("repetitions", REPETITIONS)
    if not isinstance(repetitions, int) or repetitions < 1:
        raise ConfigurationError(
            f"{place}.repetitions must be a number from 1 on, found {repetitions!r}"
        )
    return Part(
        tuple(_dataset(str(text), f"{place}.datasets", folder, sources) for text in datasets),
        tuple(_known_method(name, f"{place}.methods") for name in methods),
        repetitions,
    )


def _dataset(written: str, place: str, folder: Path, sources: dict[str, Source]) -> str:
    """Give the name of a dataset, and note its source; no other may have the same name."""
    source = Source(written, seen_from(folder, written))
    try:
        name = _name(source.location)
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{place}: {written}: {error}") from None
    known = sources.setdefault(name, source)
    if known.location != source.location:
        raise ConfigurationError(
            f"{place}: {known.written} and {written} are both called {name!r}: "
            "name one of them otherwise, by the entry name of a description"
        )
    return name


def _name(location: str) -> str:
    """Find out how a dataset is called; a table on this machine is tried out."""
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


def _known_method(name: str, place: str) -> str:
    known = (*METHODS, *COUNTERS)
    if name not in known:
        raise ConfigurationError(
            f"{place}: there is no method {name!r}; choose from {', '.join(known)}"
        )
    return name


def _protocol(document: Mapping[str, Any]) -> Protocol:
    _only(document, tuple(f.name for f in fields(Protocol)), "protocol")
    settings = dict(document)
    if "reg_lambdas" in settings:
        settings["reg_lambdas"] = _numbers(settings["reg_lambdas"], "protocol.reg_lambdas")
    folds = settings.get("folds", 2)
    if not isinstance(folds, int) or folds < 2:
        raise ConfigurationError(f"protocol.folds must be a number from 2 on, found {folds!r}")
    return Protocol(**settings)


def _only(document: Mapping[str, Any], known: Sequence[str], place: str) -> None:
    for key in document:
        if key not in known:
            raise ConfigurationError(
                f"{place} has an unknown entry {key!r}; it may have {', '.join(known)}"
            )


def _list(value: Any, place: str) -> list[Any]:
    if not isinstance(value, list) or not value:
        raise ConfigurationError(f"{place} must be a list that is not empty, found {value!r}")
    return value


def _numbers(values: Any, place: str) -> tuple[float, ...]:
    numbers = _list(values, place)
    for value in numbers:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not value >= 0:
            raise ConfigurationError(f"{place} must hold numbers from 0 on, found {value!r}")
    return tuple(map(float, numbers))
