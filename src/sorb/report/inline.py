"""One file of HTML, put together from the page's modules, its style and the data."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from functools import cache
from html import escape
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from sorb.report.squeeze import squeeze_script, squeeze_style

__all__ = ["page_html"]

# From the name to what is imported from, in one line or several.
_IMPORT = re.compile(r'^import\s[^;]*?from\s+"([^"]+)";[^\S\n]*\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?function|const|class)", re.MULTILINE)
_PLACEHOLDER = re.compile(r"@@(policy|title|style|script|data)@@")


def page_html(data: dict[str, Any]) -> str:
    """Put the page together.

    Parameters
    ----------
    data : what the page shows: `PageData` of types.d.ts.

    Examples
    --------
    >>> text = page_html({"title": "</title><script>"})
    >>> "<title>&lt;/title&gt;&lt;script&gt;</title>" in text, text.count("<script")
    (True, 2)
    """
    script, style = _script(), _style()
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src '{_digest(script)}'",
            f"style-src '{_digest(style)}'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    parts = {
        "policy": f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        # Half a surrogate pair cannot be written.
        "title": escape(str(data["title"])).encode(errors="replace").decode(),
        "style": style,
        "script": script,
        "data": _packed(data),
    }
    page = (files("sorb.report") / "page" / "page.html").read_text(encoding="utf-8")
    # All at once, so that nothing in the data is taken for a placeholder.
    return _PLACEHOLDER.sub(lambda found: parts[found[1]], page)


def _packed(data: dict[str, Any]) -> str:
    """Write JSON, deflated (zlib) and as base64, which has no signs that mean anything in HTML."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def _digest(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


@cache
def _style() -> str:
    text = (files("sorb.report") / "page" / "page.css").read_text(encoding="utf-8")
    return squeeze_style(text)


@cache
def _script() -> str:
    """All modules as one, each after those that it imports from."""
    page = files("sorb.report") / "page"
    modules: dict[str, str] = {}

    def add(path: str) -> None:
        if path in modules:
            return
        modules[path] = ""  # of modules that import each other, each is added once
        text = _read(page, path)
        folder = path.rpartition("/")[0]
        for imported in _IMPORT.findall(text):
            add(_resolve(folder, imported))
        del modules[path]
        modules[path] = _EXPORT.sub("", _IMPORT.sub("", text))

    add("main.js")
    return squeeze_script("\n".join(modules.values()))


def _read(page: Traversable, path: str) -> str:
    return page.joinpath(*path.split("/")).read_text(encoding="utf-8")


def _resolve(folder: str, imported: str) -> str:
    """Where a module is, from the folder of the one that imports it.

    Examples
    --------
    >>> _resolve("view", "../core/sums.js"), _resolve("", "./view/plot.js")
    ('core/sums.js', 'view/plot.js')
    """
    parts = folder.split("/") if folder else []
    for part in imported.split("/"):
        if part == "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)
