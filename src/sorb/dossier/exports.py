"""The exports that a dossier can hold: what each file is called, and what writes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version

from sorb.dossier.errors import DossierError
from sorb.export import Output, to_c, to_javascript, to_onnx, to_python, to_r, to_sql
from sorb.rules import RuleEnsemble

__all__ = ["DEFAULT_EXPORTS", "EXPORTS", "Export", "chosen_exports"]


@dataclass(frozen=True, slots=True)
class Export:
    """A language that a model is written in.

    Attributes
    ----------
    name : what users call it.
    file : the name of the file.
    write : writes the file.
    one_value : whether the code can give a single value of a row only.
    package : what writes it, if that is not sorb alone.
    """

    name: str
    file: str
    write: Callable[[RuleEnsemble, Output], bytes]
    one_value: bool = False
    package: str | None = None

    def output(self, ensemble: RuleEnsemble) -> Output:
        """What the code computes: probabilities of classes, or else the prediction."""
        if not ensemble.loss.has_classes:
            return "prediction"
        several = ensemble.loss.score_per_class
        return "prediction" if self.one_value and several else "probability"

    @property
    def written_with(self) -> dict[str, str]:
        """The versions of what writes it: others may write the same model otherwise."""
        packages = ["sorb", *([self.package] if self.package else [])]
        return {package: version(package) for package in packages}

    def content(self, ensemble: RuleEnsemble) -> bytes:
        """Write a model."""
        return self.write(ensemble, self.output(ensemble))


def _code(write: Callable[..., str]) -> Callable[[RuleEnsemble, Output], bytes]:
    return lambda ensemble, output: _text(write(ensemble, output))


def _sql(ensemble: RuleEnsemble, output: Output, dialect: str) -> bytes:
    return _text(to_sql(ensemble, dialect, output=output))


def _onnx(ensemble: RuleEnsemble, output: Output) -> bytes:
    return bytes(to_onnx(ensemble).SerializeToString(deterministic=True))


def _text(written: str) -> bytes:
    return f"{written.rstrip()}\n".encode("utf-8", errors="surrogatepass")


DATABASES = ("sqlite", "duckdb", "postgres", "bigquery", "snowflake", "spark", "tsql")
EXPORTS: dict[str, Export] = {
    each.name: each
    for each in (
        Export("python", "model.py", _code(to_python)),
        Export("javascript", "model.js", _code(to_javascript)),
        Export("r", "model.R", _code(to_r)),
        Export("c", "model.c", _code(to_c)),
        Export("onnx", "model.onnx", _onnx, package="onnx"),
        *(
            Export(name, f"model.{name}.sql", partial(_sql, dialect=name), True, "sqlglot")
            for name in DATABASES
        ),
    )
}
# They need nothing that is not installed with sorb.
DEFAULT_EXPORTS = ("python", "javascript", "r", "c")


def chosen_exports(names: Iterable[str]) -> tuple[Export, ...]:
    """Find exports by name, each once.

    Examples
    --------
    >>> [export.file for export in chosen_exports(["python", "sqlite"])]
    ['model.py', 'model.sqlite.sql']
    """
    found = []
    for name in dict.fromkeys(names):
        if name not in EXPORTS:
            known = ", ".join(EXPORTS)
            hint = f": name the database, such as {DATABASES[0]}" if name == "sql" else ""
            raise DossierError(f"there is no export {name!r}{hint}; there are {known}")
        found.append(EXPORTS[name])
    return tuple(found)
