"""Pictures of report pages at three widths, light and dark, and as they are printed.

Whoever changes how the page looks, looks at them: `make screenshots`.
"""

import argparse
from pathlib import Path

from report.browser.pages import OpenPage, chromium

WIDTHS = (360, 1280, 2560)
COLOURS = ("light", "dark")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, default=Path("build/screenshots"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with chromium() as browser:
        for path in options.pages:
            for width in WIDTHS:
                for colours in COLOURS:
                    _take(browser, path, width, colours, options.out)
            _print(browser, path, options.out)


def _take(browser, path, width, colours, out):
    """One picture for each section, after a change, with the details of the first rule open."""
    page = OpenPage(browser, path.resolve(), width, color_scheme=colours, reduced_motion="reduce")
    page.change("drop", len(page.find("#model ol.rules > li").all()) - 1)
    page.find("#model details > summary").first.click()
    page.tab.evaluate("() => { document.querySelector('nav').style.position = 'static'; }")
    page.settle()
    name = f"{path.stem}_{width}_{colours}"
    page.find("header").screenshot(path=out / f"{name}_0_header.png")
    for k, section in enumerate(page.find("main > section").all(), 1):
        section.screenshot(path=out / f"{name}_{k}_{section.get_attribute('id')}.png")
    print(out / name)
    page.close()


def _print(browser, path, out):
    page = OpenPage(browser, path.resolve())
    page.change("drop", 0)
    page.settle()
    page.tab.pdf(path=out / f"{path.stem}.pdf", prefer_css_page_size=True)
    page.close()


if __name__ == "__main__":
    main()
