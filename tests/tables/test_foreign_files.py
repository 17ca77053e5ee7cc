import gzip
import io
import pickle

import numpy as np
import pandas as pd
import pytest
from tables.file_contents import TEXT, VALUES, read_table, values
from tables.test_packed_files import zipped


def written(write):
    sink = io.BytesIO()
    write(sink)
    return sink.getvalue()


FRAME = pd.DataFrame({"age": [1.0, 2.0]})
FILES = {
    "a page of HTML": b"\n<!DOCTYPE html>\n<html><body>404</body></html>",
    "a page of HTML, perhaps": FRAME.to_html().encode(),
    "an XML file": b'<?xml version="1.0"?><rows/>',
    "a JSON file": FRAME.to_json(orient="records").encode(),
    "a JSON file: in pandas": FRAME.to_json().encode(),
    "a PDF document": b"%PDF-1.7\n%\xe2\xe3",
    "a Word document": zipped({"word/document.xml": "<w/>"}),
    "an old Office document": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600),
    "an SPSS file": b"$FL2@(#) SPSS DATA FILE",
    "a Stata file": written(lambda sink: FRAME.to_stata(sink, version=118)),
    "a Stata file: in pandas": written(lambda sink: FRAME.to_stata(sink, version=114)),
    "an R file": gzip.compress(b"X\n\0\0\0\3\0\4\2\1"),
    "a NumPy array": written(lambda sink: np.save(sink, np.zeros(2))),
    "a Python pickle": pickle.dumps(FRAME),
    "a tar archive": b"t.csv".ljust(257, b"\0") + b"ustar\x0000",
    "compressed twice": gzip.compress(gzip.compress(TEXT.encode())),
    "a binary file": bytes(range(256)) * 20,
    "a binary file, and none": b"\x01\x80\x90\x00\x02" * 100,
}


@pytest.mark.parametrize("name", FILES)
def test_files_are_named_as_what_they_are(name, file):
    with pytest.raises(ValueError, match=rf"table\.csv is {name}"):
        read_table(file(FILES[name], "table.csv"))


@pytest.mark.parametrize("header", ["RDX2,b", "MZ,b", "<b>,c", "{a},b", "[kg],b", "BZ,b", "PK,b"])
def test_names_that_begin_like_other_files_are_names(header, file):
    assert read_table(file(f"{header}\n1,2\n")).column_names == header.split(",")


def test_tables_are_tables(file):
    assert values(read_table(file(TEXT))) == VALUES
