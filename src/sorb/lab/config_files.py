"""TOML and YAML files, read as dictionaries, with errors that name the line."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

_POSITION = re.compile(r" *\(at (?:line (?P<line>\d+), column \d+|end of document)\)$")


def read_config(path: str | Path) -> dict[str, Any]:
    """Read a TOML or a YAML file.

    Parameters
    ----------
    path : str or Path
        A file whose name ends in ``.toml``, ``.yaml`` or ``.yml``.

    Returns
    -------
    dict
        Its content; empty for an empty file.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If it is malformed; the message names the file, the line and the problem.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sorb.lab.config_files import read_config
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "run.toml"
    ...     _ = path.write_text('methods = ["lltb", "tgb"]')
    ...     read_config(path)
    {'methods': ['lltb', 'tgb']}
    """
    path = Path(path)
    readers = {".toml": _read_toml, ".yaml": _read_yaml, ".yml": _read_yaml}
    if path.suffix.lower() not in readers:
        raise ValueError(f"{path}: the file name must end in one of {', '.join(readers)}.")
    return readers[path.suffix.lower()](path, _text(path))


def _text(path: Path) -> str:
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    content = path.read_bytes()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _malformed(path, _line(content, error.start), "the text is not UTF-8") from None


def _read_toml(path: Path, text: str) -> dict[str, Any]:
    toml = _parser("tomllib" if sys.version_info >= (3, 11) else "tomli", "TOML")
    try:
        return dict(toml.loads(text))
    except toml.TOMLDecodeError as error:
        place = _POSITION.search(str(error))
        line = int(place["line"]) if place and place["line"] else text.rstrip().count("\n") + 1
        raise _malformed(path, line, _POSITION.sub("", str(error))) from None


def _read_yaml(path: Path, text: str) -> dict[str, Any]:
    yaml = _parser("yaml", "YAML")
    try:
        root = yaml.compose(text, yaml.SafeLoader)
        if root is None:
            return {}
        if not isinstance(root, yaml.MappingNode):
            raise _malformed(path, _first_line(root), "expected names and values, as in 'a: 1'")
        _check_names(path, yaml, root, set())
        return dict(yaml.safe_load(text))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _malformed(path, mark.line + 1, error.problem or error.context) from None
    except yaml.reader.ReaderError as error:
        line = _line(text, error.position)
        raise _malformed(path, line, f"character {error.character:#x} is not allowed") from None


def _parser(module: str, kind: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise ImportError(f'{kind} files need another package: pip install "sorb[lab]"') from None


def _check_names(path: Path, yaml: Any, node: Any, seen: set[int]) -> None:
    """Refuse names that are not text, or that occur twice: YAML would keep the last."""
    if isinstance(node, yaml.ScalarNode) or id(node) in seen:
        return
    seen.add(id(node))  # an anchor may be reused, even inside itself
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _check_names(path, yaml, item, seen)
        return
    names = set()
    for name, value in node.value:
        if name.tag not in ("tag:yaml.org,2002:str", "tag:yaml.org,2002:merge"):
            shown = getattr(name, "value", name)
            raise _malformed(path, _first_line(name), f"put the name {shown} in quotes")
        if name.value in names:
            raise _malformed(path, _first_line(name), f"{name.value!r} is given twice")
        names.add(name.value)
        _check_names(path, yaml, value, seen)


def _first_line(node: Any) -> int:
    return int(node.start_mark.line) + 1


def _line(content: str | bytes, position: int) -> int:
    before = content[:position]
    return 1 + (before.count("\n") if isinstance(before, str) else before.count(b"\n"))


def _malformed(path: Path, line: int, problem: str) -> ValueError:
    return ValueError(f"{path}, line {line}: {' '.join(problem.split())}.")
