"""LibreOffice, which computes the formulas of a workbook anew."""

import io
import shutil
import subprocess

import pytest
from python_calamine import CalamineWorkbook

PROGRAM = shutil.which("soffice")
needs_libreoffice = pytest.mark.skipif(
    PROGRAM is None, reason="LibreOffice is not installed: apt-get install libreoffice-calc-nogui"
)
# By default it shows the values that are stored beside the formulas.
SETTINGS = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load">
<prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item>
</oor:items>
"""


def cells_of(content, sheet=0):
    """The cells of a sheet, as they are stored."""
    return CalamineWorkbook.from_object(io.BytesIO(content)).get_sheet_by_index(sheet).to_python()


def computed(content, folder):
    """The cells of the first sheet, as LibreOffice computes them."""
    (folder / "profile" / "user").mkdir(parents=True, exist_ok=True)
    (folder / "profile" / "user" / "registrymodifications.xcu").write_text(SETTINGS)
    (folder / "model.xlsx").write_bytes(content)
    subprocess.run(
        [PROGRAM, f"-env:UserInstallation={(folder / 'profile').as_uri()}", "--headless",
         "--convert-to", "xlsx", "--outdir", folder / "computed", folder / "model.xlsx"],
        check=True, capture_output=True, timeout=120,
    )  # fmt: skip
    return cells_of((folder / "computed" / "model.xlsx").read_bytes())
