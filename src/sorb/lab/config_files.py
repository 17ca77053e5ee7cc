"""TOML and YAML files, read as dictionaries, with errors that name the line."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from sorb._extras import install_command

MOST_BYTES = 1_000_000
MOST_VALUES = 100_000
DEEPEST = 20
INT64 = range(-(2**63), 2**63)  # as in TOML
_LONGEST_SHOWN = 100  # characters
_LONGEST_NUMBER = 100  # characters of YAML, where 1:1:1 is 3661
_MERGE = "tag:yaml.org,2002:merge"  # <<
_SURROGATE = re.compile("[\ud800-\udfff]")

# Texts and comments of TOML. One without an end goes on to the end of the line, or of the file.
_TEXTS = re.compile(
    r'''"""(?:[^\\]|\\.?)*?(?:"{3,5}|\Z)|"(?:[^"\\\n]|\\[^\n]?)*"?|#[^\n]*'''
    r"""|'''.*?(?:'{3,5}|\Z)|'[^'\n]*'?""",
    re.DOTALL,
)
_NAME = r"""(?:[\w-]+|"")"""
_DEEP_NAME = re.compile(rf"(?<![\w-]){_NAME}(?:[ \t]*\.[ \t]*{_NAME}){{{DEEPEST},}}")

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
        Its content; empty for an empty file. Values are nested at most 20 deep, and integers fit
        in 64 bits.

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
    try:
        document = readers[path.suffix.lower()](path, _text(path))
    except RecursionError:
        raise _too_deep(path) from None
    check_values(path, document)
    return document


def check_values(path: Path, document: Any) -> None:
    """Refuse values that cannot be handled: nested too deeply, too many, too large, or not text.

    A part that YAML repeats by its anchor is counted as often as it is repeated.
    """
    waiting, count = [(document, 0)], 0
    while waiting:
        value, depth = waiting.pop()
        count += 1
        if depth > DEEPEST:
            raise _too_deep(path)
        if count > MOST_VALUES:
            raise _malformed(path, None, f"it holds more than {MOST_VALUES:,} values")
        if isinstance(value, int) and value not in INT64:
            raise _malformed(path, None, "an integer does not fit in 64 bits")
        if isinstance(value, str) and _SURROGATE.search(value):
            raise _malformed(path, None, f"the text {show_value(value)} is not valid Unicode")
        waiting += [(item, depth + 1) for item in _items(value)]


def _items(value: Any) -> Iterable[Any]:
    if isinstance(value, Mapping):
        return (*value, *value.values())
    return value if isinstance(value, (list, tuple, set)) else ()


def show_value(value: Any) -> str:
    """Write a value for a message, cut off if it is long.

    Examples
    --------
    >>> from sorb.lab.config_files import show_value
    >>> show_value([1, "a"])
    "[1, 'a']"
    """
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"


def _text(path: Path) -> str:
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder, not a file.")
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    if path.stat().st_size > MOST_BYTES:
        raise _malformed(path, None, f"it is larger than {MOST_BYTES:,} bytes")
    content = path.read_bytes()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _malformed(path, _line(content, error.start), "the text is not UTF-8") from None


def _read_toml(path: Path, text: str) -> dict[str, Any]:
    toml = _parser("tomllib" if sys.version_info >= (3, 11) else "tomli", "TOML")
    # The parser takes a time that grows with the square of the depth of a name such as a.a.a.
    if _DEEP_NAME.search(_TEXTS.sub('""', text)):
        raise _too_deep(path)
    try:
        return dict(toml.loads(text))
    except toml.TOMLDecodeError as error:
        place = _POSITION.search(str(error))
        line = int(place["line"]) if place and place["line"] else text.rstrip().count("\n") + 1
        raise _malformed(path, line, _POSITION.sub("", str(error))) from None
    except ValueError as error:
        raise _malformed(path, None, _until_semicolon(error)) from None


def _read_yaml(path: Path, text: str) -> dict[str, Any]:
    yaml = _parser("yaml", "YAML")
    try:
        loader = yaml.SafeLoader(text)
        root = loader.get_single_node()
        if root is None:
            return {}
        if not isinstance(root, yaml.MappingNode):
            raise _malformed(path, _first_line(root), "expected names and values, as in 'a: 1'")
        _check_nodes(path, yaml, root, set())
        _explain_failures(loader, yaml)
        return dict(loader.construct_document(root))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _malformed(path, mark.line + 1, error.problem or error.context) from None
    except yaml.reader.ReaderError as error:
        line = _line(text, error.position)
        raise _malformed(path, line, f"character {error.character:#x} is not allowed") from None


def _explain_failures(loader: Any, yaml: Any) -> None:
    """Let a loader name the line of what it takes for a number, a boolean or a date by mistake."""
    construct = loader.construct_object

    def construct_object(node: Any, deep: bool = False) -> Any:
        try:
            return construct(node, deep)
        except (AttributeError, LookupError, TypeError, ValueError):
            place = node.start_mark
            raise yaml.constructor.ConstructorError(None, None, _unreadable(node), place) from None

    loader.construct_object = construct_object


def _until_semicolon(error: ValueError) -> str:
    """Leave out Python's advice about integers of thousands of digits."""
    return str(error).partition(";")[0]


def _parser(module: str, kind: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise ImportError(f"{kind} files need another package: {install_command('lab')}") from None


def _check_nodes(path: Path, yaml: Any, node: Any, seen: set[int]) -> None:
    """Check the names in all tables of a document, and the length of its numbers."""
    if id(node) in seen:
        return
    seen.add(id(node))  # an anchor may be reused, even inside itself
    if isinstance(node, yaml.ScalarNode):
        kind = node.tag.rpartition(":")[2]
        if kind in ("int", "float") and len(node.value) > _LONGEST_NUMBER:
            raise _malformed(path, _first_line(node), _unreadable(node))
        return
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _check_nodes(path, yaml, item, seen)
        return
    names: set[str] = set()
    for name, value in node.value:
        problem = _problem_of_name(yaml, name, names)
        if problem:
            raise _malformed(path, _first_line(name), problem)
        names.add(name.value)
        _check_nodes(path, yaml, value, seen)


def _problem_of_name(yaml: Any, name: Any, before: set[str]) -> str:
    """Say why a name is not text, or that it occurs twice: YAML would keep the last.

    The name ``<<``, which copies a part, is refused, too: a few lines can make billions of copies.
    """
    if not isinstance(name, yaml.ScalarNode):
        return "a name must be text"
    if name.tag == _MERGE:
        return "<< is not supported: write out what it stands for"
    if name.tag != "tag:yaml.org,2002:str":
        return f"put the name {show_value(name.value)} in quotes"
    return f"{show_value(name.value)} is given twice" if name.value in before else ""


def _unreadable(node: Any) -> str:
    return f"{show_value(node.value)} cannot be read as {node.tag.rpartition(':')[2]}"


def _first_line(node: Any) -> int:
    return int(node.start_mark.line) + 1


def _line(content: str | bytes, position: int) -> int:
    before = content[:position]
    return 1 + (before.count("\n") if isinstance(before, str) else before.count(b"\n"))


def _too_deep(path: Path) -> ValueError:
    return _malformed(path, None, f"values are nested more than {DEEPEST} deep")


def _malformed(path: Path, line: int | None, problem: str) -> ValueError:
    place = path if line is None else f"{path}, line {line}"
    return ValueError(f"{place}: {' '.join(problem.split())}.")
