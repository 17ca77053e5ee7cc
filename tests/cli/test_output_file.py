import os
import sqlite3
from hashlib import sha256
from shutil import copyfile

import pandas as pd
import pytest
from cli.patients import patients

FIT = ("--target", "ill", "--selection", "none", "--max-rules", "1", "--ignore", "patient")
OVERWRITES = {
    "the table of a fit": ("fit", "t.parquet", *FIT, "--out", "t.parquet"),
    "the table of a lazy fit": ("fit", "t.parquet", *FIT, "--memory", "4GB", "--out", "t.parquet"),
    "a database": ("fit", "t.sqlite", "--table", "p", *FIT, "--out", "t.sqlite"),
    "an address": ("fit", "sqlite:///t.sqlite", "--table", "p", *FIT, "--out", "t.sqlite"),
    "the table of predictions": ("predict", "model.json", "t.parquet", "--out", "t.parquet"),
    "another name": ("predict", "model.json", "t.parquet", "--out", "link.parquet"),
    "the model of predictions": ("predict", "model.json", "t.parquet", "--out", "model.json"),
    "a file of a pattern": ("predict", "model.json", "p*.parquet", "--out", "./p1.parquet"),
    "an exported model": ("export", "model.json", "--to", "sql", "--out", "model.json"),
    "a simplified model": ("simplify", "model.json", "t.parquet", "--out", "model.json"),
    "the table to simplify by": ("simplify", "model.json", "t.parquet", "--out", "t.parquet"),
}


@pytest.fixture
def files(model, folder):
    people = pd.DataFrame(patients(60))
    people.to_parquet("t.parquet", index=False)
    for name in ("p1.parquet", "p2.parquet"):
        copyfile("t.parquet", name)
    (folder / "link.parquet").symlink_to("t.parquet")
    with sqlite3.connect("t.sqlite") as connection:
        people.to_sql("p", connection, index=False)
    connection.close()
    return folder


def checksums(folder):
    return {path: sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


@pytest.mark.parametrize("what", OVERWRITES)
def test_what_is_read_is_not_overwritten(what, files, said):
    before, command = checksums(files), OVERWRITES[what]
    out = os.path.normpath(command[-1])
    refusal = f"sorb: --out {out} would overwrite a file that is read: name another file\n"
    assert said(*command) == (1, "", refusal)
    assert checksums(files) == before


def test_a_device_may_be_read_and_written(files, said):
    assert said("predict", "model.json", "t.parquet", "--out", os.devnull) == (0, "", "")


@pytest.mark.parametrize("memory", [(), ("--memory", "4GB")])
def test_a_folder_without_permission_is_found_before_the_table_is_read(
    memory, files, said, monkeypatch
):
    allowed = os.access
    closed = (files / "closed").resolve()
    closed.mkdir()
    monkeypatch.setattr(os, "access", lambda path, mode: path != closed and allowed(path, mode))
    (files / "t.parquet").write_bytes(b"no table")
    code, printed, errors = said("fit", "t.parquet", *FIT, *memory, "--out", "closed/k.json")
    assert (code, printed) == (1, "")
    assert errors == (
        f"sorb: closed/k.json cannot be written: there is no permission to change {closed}\n"
    )


def test_a_folder_in_place_of_the_partial_file_is_found_before_the_table_is_read(files, said):
    (files / "k.json.partial").mkdir()
    found = said("fit", "t.parquet", *FIT, "--memory", "4GB", "--out", "k.json")
    assert found == (1, "", "sorb: k.json.partial is a folder: name a file to write\n")
