"""The picture of the README: a row in What if, on the page of the demo about breast cancer."""

import argparse
from pathlib import Path

from report.browser.pages import OpenPage, chromium

WIDTH, MARGIN = 1180, 30
ROW = 7  # one rule covers it, and the other does not


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=Path)
    parser.add_argument("picture", type=Path)
    options = parser.parse_args()
    with chromium() as browser:
        page = OpenPage(browser, options.page.resolve(), WIDTH, reduced_motion="reduce")
        row = page.find("#what-if input[type=number]").first
        row.fill(str(ROW))
        row.blur()
        page.tab.evaluate("() => { document.querySelector('nav').style.position = 'static'; }")
        page.tab.evaluate("() => window.scrollTo(0, 0)")
        page.settle()
        top = page.find("#what-if h2").bounding_box()["y"] - MARGIN
        end = page.find("#what-if table").first.bounding_box()
        height = end["y"] + end["height"] - top
        area = {"x": 0, "y": top, "width": WIDTH, "height": height}
        page.tab.screenshot(path=options.picture, clip=area, full_page=True)
        page.close()


if __name__ == "__main__":
    main()
