"""How fast a report page of 40 rules on 100 columns is in Chromium: first paint, and interactions.

An interaction is timed in the page, from the event until the frame that shows its effect is done.
Whatever it does, then and later, is done in tasks, between which the page answers the hand again.
They are told by their processor time, too, which other programs cannot lengthen.
"""

import argparse
import json
import os
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
  const start = performance.now();
  new Function("turn", act)(turn);
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return performance.now() - start;
}"""
LATER = "() => new Promise((done) => setTimeout(done, 400))"
SET = 'control.value = {}; control.dispatchEvent(new Event("input", {{ bubbles: true }}));'
FIND = 'const control = document.querySelector("{}"); '
RULE = (
    'const menu = document.querySelector("#change select"); menu.selectedIndex = turn + 1; '
    'menu.dispatchEvent(new Event("change")); '
)
MAKE = 'document.querySelector("#change .main-action").click(); '
KIND = 'document.querySelector("#kind-{}").click()'
# The section that is in sight, what is done there before, and the interaction.
CHANGES = {
    "a rule is dropped": ("change", "", MAKE),
    "a rule is forbidden": ("change", KIND.format("forbid"), MAKE),
    "a vote is pinned": ("change", KIND.format("pin"), RULE + MAKE),
    "the last change is undone": (
        "change",
        MAKE * TURNS,
        'document.querySelector("#undo").click()',
    ),
}
THRESHOLDS = {
    "a threshold is looked at": (
        "change",
        KIND.format("move-0"),
        FIND.format("#change .part input[type=range]") + SET.format("turn % 5"),
    ),
    "a threshold is moved": (
        "change",
        KIND.format("move-0"),
        RULE + FIND.format("#change .part input[type=range]") + SET.format("turn % 5") + MAKE,
    ),
}
READING = {
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
}
# With so many different rows a page of numbers has no room for other thresholds.
STEPS = {
    "binary": READING | THRESHOLDS | CHANGES,
    "classes": THRESHOLDS | CHANGES,
    "squared": CHANGES,
    "poisson": CHANGES,
}
LOSSES = {"binary": "logistic", "classes": "softmax, 3 classes"}


def main():
    argparse.ArgumentParser(description=__doc__).parse_args()
    rows, sizes = [], []
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        for kind, steps in STEPS.items():
            path = Path(folder) / f"{kind}.html"
            page = large_page(kind, n_rows=ROWS)
            path.write_text(page_html(page.data), encoding="utf-8")
            loss = LOSSES.get(kind, kind)
            paints = [_first_paint(browser, path) for _ in range(TURNS)]
            rows.append(_row(loss, "first paint", paints))
            rows += [
                _row(loss, name, *_turns(browser, path, *step)) for name, step in steps.items()
            ]
            sizes.append(path.stat().st_size)
        version = browser.version
    found = tables.RESULTS / "report_page_browser.md"
    tables.write_markdown(
        found, "Speed of the report page in a browser", rows, _notes(version, sizes)
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
    browser.start_tracing(page=page.tab, categories=["disabled-by-default-devtools.timeline"])
    session = page.context.new_cdp_session(page.tab)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    frames, used = [], []
    for turn in range(TURNS):
        before = _processor_time(session)
        frames.append(page.tab.evaluate(TIMED, [act, turn]))
        used.append(_processor_time(session) - before)
        page.tab.evaluate(LATER)
    events = json.loads(browser.stop_tracing())["traceEvents"]
    page.context.close()
    return frames, used, _tasks(events)


def _processor_time(session):
    """Milliseconds of the main thread until now."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return 1000 * next(m["value"] for m in metrics if m["name"] == "TaskDuration")


def _tasks(events):
    """The processor times of the tasks of the page's main thread, in milliseconds."""
    threads = {
        (event["pid"], event["tid"])
        for event in events
        if event["name"] == "thread_name" and event["args"]["name"] == "CrRendererMain"
    }
    return [
        event["tdur"] / 1000
        for event in events
        if event["name"].endswith("RunTask")
        and "tdur" in event
        and (event["pid"], event["tid"]) in threads
    ]


def _row(loss, what, frames, used=(), tasks=()):
    return {
        "loss": loss,
        "what": what,
        "until it is seen": _told(frames),
        "its processor time": _told(used),
        "longest task": f"{max(tasks):.0f} ms" if tasks else "",
    }


def _told(times):
    return f"{statistics.median(times):.0f} ms ({max(times):.0f})" if times else ""


def _notes(version, sizes):
    one, five, fifteen = os.getloadavg()
    return [
        f"40 rules on 100 columns, {ROWS:,} rows; the pages are files of "
        f"{min(sizes) / 1000:.0f} to {max(sizes) / 1000:.0f} kB. "
        f"Chromium {version}, without a window; medians of {TURNS} turns, and the slowest in "
        "brackets. A frame comes every 17 ms, which is part of the time until it is seen. The "
        "processor time is that of the page's main thread until then, and the longest task that of "
        "all turns, then or later, in processor time: so long a page does not answer.",
        "",
        f"Programs that wanted a processor, at the end, on average over the last 1, 5 and 15 "
        f"minutes: {one:.0f}, {five:.0f} and {fifteen:.0f}. They lengthen the time until something "
        "is seen, but not the processor time.",
        "",
        "Made by `python benchmarks/report_page_browser.py`.",
        "",
        f"Machine: {tables.machine()}.",
    ]


if __name__ == "__main__":
    main()
