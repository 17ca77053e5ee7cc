import io
import zipfile

import pytest
from tables.file_contents import TEXT, VALUES, parquet, read_table, values

from sorb.tables.packed_files import zip_kind


def zipped(files):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as writer:
        for name, content in files.items():
            writer.writestr(name, content)
    return archive.getvalue()


@pytest.mark.parametrize("content", [TEXT, parquet(VALUES)])
def test_the_only_table_in_a_zip_archive_is_read(content, file):
    assert values(read_table(file(zipped({"data/t.csv": content})))) == VALUES


def test_files_that_macos_adds_do_not_count(file):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as writer:
        for name, content in {
            "a/": "",
            "a/t.csv": TEXT,
            "__MACOSX/a/._t.csv": "x",
            ".DS_Store": "x",
        }.items():
            writer.writestr(name, content)
    assert values(read_table(file(archive.getvalue()))) == VALUES


def test_several_files_in_a_zip_archive_are_listed(file):
    with pytest.raises(ValueError, match=r"zip archive of 2 files, 'a.csv', 'b.csv': unzip it"):
        read_table(file(zipped({"a.csv": TEXT, "b.csv": TEXT})))


def test_an_empty_zip_archive_is_refused(file):
    with pytest.raises(ValueError, match="zip archive without any file"):
        read_table(file(zipped({"folder/": ""})))


def test_a_small_zip_archive_that_becomes_a_huge_file_is_refused(file, monkeypatch):
    monkeypatch.setattr("sorb.tables.packed_files.LARGEST_UNPACKED", 1_000_000)
    with pytest.raises(ValueError, match="more than 200 times its size"):
        read_table(file(zipped({"a.csv": "a,b\n" + "1,2\n" * 500_000})))


def test_a_damaged_zip_archive_is_refused(file):
    content = zipped({"a.csv": TEXT * 50})
    damaged = [content[:60], content[:50] + b"\xff" * 9 + content[59:]]
    for data in damaged:
        with pytest.raises(ValueError, match="cannot be unzipped"):
            read_table(file(data))


def test_documents_are_told_from_archives():
    assert zip_kind(io.BytesIO(zipped({"word/document.xml": "x"}))) == "Word"
    open_document = zipped({"mimetype": "application/vnd.oasis.opendocument.spreadsheet"})
    assert zip_kind(io.BytesIO(open_document)) == "OpenDocument"
    assert zip_kind(io.BytesIO(zipped({"a.csv": "x"}))) is None


def test_an_archive_whose_kind_cannot_be_read_is_a_plain_one():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "x" * 1000)
    content = bytearray(stream.getvalue())
    content[38:44] = b"\xff" * 6  # the packed text, behind its header of 30 bytes and its name
    assert zip_kind(io.BytesIO(bytes(content))) is None
