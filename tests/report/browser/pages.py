"""Report pages in files, and what a browser says of them."""

import json
import re
import shutil
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from report.models import fitted

from sorb.report import report
from sorb.report.inline import page_html

HOW_TO = "the browser is not installed: `make test-page` installs it and runs these tests"
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
HEIGHT = 900


@contextmanager
def chromium():
    """A browser without a window and a profile."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


class OpenPage:
    """A page that is opened from a file without a network, and what it did that it must not do."""

    def __init__(self, browser, path, width=1280, **settings):
        self.context = browser.new_context(
            offline=True,
            accept_downloads=True,
            viewport={"width": width, "height": HEIGHT},
            **settings,
        )
        self.tab = self.context.new_page()
        self.address, self.faults = Path(path).as_uri(), []
        self.tab.on("request", self._note_request)
        self.tab.on("console", lambda message: self.faults.append(f"console: {message.text}"))
        self.tab.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        self.tab.on("dialog", self._note_dialog)
        self.tab.goto(self.address)

    def _note_request(self, request):
        if request.url != self.address and not request.url.startswith("blob:"):
            self.faults.append(f"request: {request.url[:200]}")

    def _note_dialog(self, dialog):
        self.faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def close(self):
        self.context.close()
        assert not self.faults, "\n".join(self.faults)

    def find(self, selector, **options):
        return self.tab.locator(selector, **options)

    def settle(self):
        """Wait until everything that is drawn a little later is drawn."""
        self.tab.evaluate("() => new Promise((done) => setTimeout(done, 250))")

    def download(self, selector):
        """What a button offers to save, as text."""
        with self.tab.expect_download() as found:
            self.find(selector).click()
        return Path(found.value.path()).read_text(encoding="utf-8")

    def change(self, kind, rule, *, author="C. Ode", reason="tried", part=None):
        """Make a change in the form; `part` is the vote, or the place of the threshold."""
        self.find("#change select").select_option(str(rule))
        self.find(f"#kind-{kind}").check()
        if kind == "pin":
            self.find("#change .part input[type=number]").fill(str(part))
        elif kind.startswith("move"):
            self.find("#change .part input[type=range]").fill(str(part))
        self.find("#change .signature input").nth(0).fill(author)
        self.find("#change .signature input").nth(1).fill(reason)
        self.find("#change .main-action").click()
        return self.find("#change .preview").inner_text()


@cache
def folder():
    return Path(mkdtemp(prefix="sorb-pages-"))


@cache
def page_data(kind, *, rows=True):
    """The data of the page of a small model."""
    example = fitted(kind)
    (X, y), (X_test, y_test) = example.training, example.test
    found = report(example.estimator, X, y, X_test=X_test, y_test=y_test, compare=False, rows=rows)
    data = json.loads(json.dumps(found.data))
    return data | {"comparison": comparison(data)}


def comparison(data):
    """What others would have found, which takes too long to learn here."""
    size = data["sizes"][data["chosen"]]
    points = [
        {"complexity": p["complexity"], "size": f"{p['n_rules']} rules", "risk": p["training"]}
        for p in data["curve"]["points"]
    ]
    forest = [{"complexity": None, "size": "100 trees", "risk": points[-1]["risk"] * 0.95}]
    used = sorted(set(size["model"]["columns"]))
    equal = {
        "how": "another seed (1)",
        "model": size["model"],
        "tokens": [rule["tokens"] for rule in size["rules"]],
        "complexity": size["complexity"],
        "risk": size["training_risk"],
        "risk_error": 0.01,
        "worse": 0.01,
        "worse_error": 0.02,
        "test_risk": size["test_risk"],
        "columns": used,
        "agreement": 0.94,
    }
    return {
        "methods": [
            {"name": "sorb", "what": "these rules", "points": points, "measures": ["0.5"]},
            {"name": "forest", "what": "many trees", "points": forest, "measures": ["0.4"]},
        ],
        "measure_names": ["AUC"],
        "equal": [equal, equal | {"how": "without height"}],
        "in_all": used[:1],
        "in_some": used[1:],
        "unanimous": 0.9,
        "notes": ["All methods learned from the same rows."],
    }


def page_file(kind, **options):
    name = re.sub(r"\W+", "-", f"{kind} {options}")
    return write_page(name, page_data(kind, **options))


def write_page(name, data):
    path = folder() / f"{name}.html"
    path.write_text(page_html(data), encoding="utf-8")
    return path
