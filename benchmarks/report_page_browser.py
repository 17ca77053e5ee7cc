"""How fast a report page of 40 rules on 100 columns is in Chromium: first paint, and interactions.

An interaction is timed in the page, from the event until the frame that shows its effect is done,
and its processor time is that of the page's main thread, which other programs cannot lengthen.
What is drawn later, out of sight, must not stop the hand either: the longest task after it is told.
"""

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

import tables

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from report.browser.pages import OpenPage, chromium
from report.models import large_page

from sorb.report.inline import page_html

ROWS = 3_000
TURNS = 15
PAINT = """() => new Promise((done) => {
  const find = () => performance.getEntriesByName("first-contentful-paint")[0];
  const wait = () => (find() ? done(find().startTime) : setTimeout(wait, 20));
  wait();
})"""
# The task after the frame comes when the frame is done.
TIMED = """async ([act, turn]) => {
  window.tasks = [];
  window.observer ??= new PerformanceObserver((list) => window.tasks.push(...list.getEntries()));
  window.observer.observe({ type: "longtask" });
  const start = performance.now();
  new Function("turn", act)(turn);
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  window.seen = performance.now();
  return window.seen - start;
}"""
LATER = """async () => {
  await new Promise((done) => setTimeout(done, 600));
  const later = window.tasks.filter((task) => task.startTime > window.seen);
  return Math.max(0, ...later.map((task) => task.duration));
}"""
SET = 'control.value = {}; control.dispatchEvent(new Event("input", {{ bubbles: true }}));'
FIND = 'const control = document.querySelector("{}"); '
# The section that is in sight, what is done there before, and the interaction.
STEPS = {
    "the size dial, from 40 rules to none and back": (
        "size",
        "",
        FIND.format("#size input[type=range]") + SET.format("1 - turn % 2"),
    ),
    "a variable of What if": (
        "what-if",
        "",
        FIND.format("#what-if .control input[type=range]") + SET.format("turn % 3 - 1"),
    ),
    "the threshold of a rule": (
        "change",
        'document.querySelector("#kind-move-0").click()',
        FIND.format("#change .part input[type=range]") + SET.format("turn % 5"),
    ),
    "a rule is dropped, and all votes fitted again": (
        "change",
        "",
        'document.querySelector("#change .main-action").click()',
    ),
}


def main():
    argparse.ArgumentParser(description=__doc__).parse_args()
    page = large_page(n_rows=ROWS)
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        path = Path(folder) / "page.html"
        path.write_text(page_html(page.data), encoding="utf-8")
        rows = [_row("first paint", [{"frame": _first_paint(browser, path)} for _ in range(TURNS)])]
        rows += [_row(name, _turns(browser, path, *step)) for name, step in STEPS.items()]
        version, size = browser.version, path.stat().st_size
    found = tables.RESULTS / "report_page_browser.md"
    tables.write_markdown(
        found, "Speed of the report page in a browser", rows, _notes(version, size)
    )
    print(found.read_text())


def _first_paint(browser, path):
    page = OpenPage(browser, path)
    found = page.tab.evaluate(PAINT)
    page.close()
    return found


def _turns(browser, path, section, before, act):
    page = OpenPage(browser, path, reduced_motion="reduce")
    page.tab.evaluate(f"document.getElementById('{section}').scrollIntoView()")
    page.settle()
    page.tab.evaluate(before or "0")
    page.settle()
    session = page.context.new_cdp_session(page.tab)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    found = [_turn(page.tab, session, act, turn) for turn in range(TURNS)]
    page.context.close()
    return found


def _turn(tab, session, act, turn):
    before = _processor_time(session)
    frame = tab.evaluate(TIMED, [act, turn])
    used = _processor_time(session) - before
    return {"processor": used, "frame": frame, "later": tab.evaluate(LATER)}


def _processor_time(session):
    """Milliseconds of the main thread until now."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return 1000 * next(m["value"] for m in metrics if m["name"] == "TaskDuration")


def _row(what, turns):
    def told(name):
        times = [turn[name] for turn in turns if name in turn]
        if not times:
            return ""
        return f"{statistics.median(times):.0f} ms ({max(times):.0f})"

    heads = {"processor": "processor", "frame": "until it is seen", "later": "longest task later"}
    return {"what": what, **{head: told(name) for name, head in heads.items()}}


def _notes(version, size):
    return [
        f"40 rules on 100 columns, {ROWS:,} rows; the page is a file of {size / 1000:.0f} kB. "
        f"Chromium {version}, without a window; medians of {TURNS} turns, and the slowest in "
        "brackets. A frame comes every 17 ms, which is part of the time until it is seen. Tasks "
        "of less than 50 ms are told as 0.",
        "",
        "Made by `python benchmarks/report_page_browser.py`.",
        "",
        f"Machine: {tables.machine()}.",
    ]


if __name__ == "__main__":
    main()
