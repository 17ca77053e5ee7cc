"""What a run consists of: which methods on which datasets, how often, and with what settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sorb.lab.datasets import describe
from sorb.lab.methods import METHODS, Method, method_of_class
from sorb.lab.protocol import REPETITIONS, Protocol
from sorb.lab.references import is_reference
from sorb.lab.results import Unit


class ConfigurationError(ValueError):
    """The description of a run contains a mistake."""


@dataclass(frozen=True, slots=True)
class Part:
    """All of some methods on all of some datasets."""

    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    repetitions: int = REPETITIONS


@dataclass(frozen=True, slots=True)
class DatasetSource:
    """A dataset as the run file names it, and as `load` takes it."""

    written: str
    location: str


@dataclass(frozen=True, slots=True)
class Filter:
    """The units to do; an empty set and None stand for all."""

    datasets: frozenset[str] = frozenset()
    methods: frozenset[str] = frozenset()
    repetitions: int | None = None

    def includes(self, unit: Unit) -> bool:
        """Tell whether a unit is to be done."""
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
    name : its name.
    parts : all that belongs to it.
    protocol : how models are learned and measured.
    penalties : the L2 penalties of methods that do not try all those of the protocol.
    sources : where datasets come from, by name; any other is loaded by its name.
    methods : the user's own methods, by name.
    filter : which units of the parts are done now.
    """

    name: str
    parts: tuple[Part, ...]
    protocol: Protocol = field(default_factory=Protocol)
    penalties: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    sources: Mapping[str, DatasetSource] = field(default_factory=dict)
    methods: Mapping[str, Method] = field(default_factory=dict)
    filter: Filter = field(default_factory=Filter)

    def units(self) -> list[Unit]:
        """List the units to do, the first repetition of all of them first."""
        units = {
            Unit(repetition, dataset, method)
            for part in self.parts
            for repetition in range(part.repetitions)
            for dataset in part.datasets
            for method in part.methods
        }
        return sorted(filter(self.filter.includes, units))

    def location_of(self, dataset: str) -> str:
        """Return what `load` takes for a dataset."""
        return self.sources[dataset].location if dataset in self.sources else dataset

    def method_of(self, name: str) -> Method | None:
        """Return a method by its name; None for one that only counts iterations."""
        return self.methods.get(name) or METHODS.get(name)

    def protocol_of(self, method: str) -> Protocol:
        """Return the protocol, with the method's own penalties."""
        own = self.penalties.get(method, self.protocol.reg_lambdas)
        return replace(self.protocol, reg_lambdas=own)

    def narrow(
        self,
        datasets: Sequence[str] = (),
        methods: Sequence[str] = (),
        repetitions: int | None = None,
        as_published: bool = False,
    ) -> Configuration:
        """Restrict a run to some datasets, methods or repetitions, or to the published protocol.

        A dataset is named as in the tables or as in the run file. A method that is not part of
        the run may be a class of the user's, ``package.module:Class``; it is added to the run.
        """
        new = [name for name in methods if is_reference(name) and name not in self._method_names()]
        run = self._with_classes(new, Path.cwd())
        names = {source.written: name for name, source in run.sources.items()}
        datasets = [names.get(text, text) for text in datasets]
        _require(datasets, {name for part in run.parts for name in part.datasets}, "datasets")
        _require(methods, run._method_names(), "methods")
        protocol = replace(run.protocol, as_published=as_published or run.protocol.as_published)
        chosen = Filter(frozenset(datasets), frozenset(methods), repetitions)
        return replace(run, protocol=protocol, filter=chosen)

    def settings(self) -> dict[str, Any]:
        """Return what must not change while a run is continued."""
        return {
            "reg_lambdas": list(self.protocol.reg_lambdas),
            "folds": self.protocol.folds,
            "as_published": self.protocol.as_published,
            "exceptions": {name: list(values) for name, values in self.penalties.items()},
        }

    def _method_names(self) -> set[str]:
        return {name for part in self.parts for name in part.methods}

    def _with_classes(self, references: Sequence[str], folder: Path) -> Configuration:
        """Add the user's own classes, each on the datasets of its task."""
        try:
            added = {text: method_of_class(text, folder) for text in references}
        except ValueError as error:
            raise ConfigurationError(str(error)) from None
        parts = [part for name, method in added.items() for part in self._parts_for(name, method)]
        return replace(self, parts=(*self.parts, *parts), methods={**self.methods, **added})

    def _parts_for(self, name: str, method: Method) -> Iterator[Part]:
        for part in self.parts:
            tasks = {dataset: describe(self.location_of(dataset)).task for dataset in part.datasets}
            datasets = tuple(d for d, task in tasks.items() if task in (None, *method.classes))
            if datasets:
                yield Part(datasets, (name,), part.repetitions)


def _require(wanted: Sequence[str], known: set[str], what: str) -> None:
    for name in wanted:
        if name not in known:
            raise ConfigurationError(
                f"{name!r} is not among the {what} of this run: {', '.join(sorted(known))}"
            )
