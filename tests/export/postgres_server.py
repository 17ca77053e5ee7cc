"""A PostgreSQL server for the tests, which starts and ends with them."""

import json
import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path


def _programs():
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: int(p.parent.name))
    return found[-1] if found else None


def missing_part():
    """What is missing to run a server, or None."""
    if _programs() is None:
        return "PostgreSQL is not installed"
    if os.getuid() == 0 and shutil.which("runuser") is None:
        return "PostgreSQL does not run as root, and there is no runuser"
    return None


@contextmanager
def running_server():
    """Give a function that runs a script in a temporary server and gives what it prints."""
    programs, root = _programs(), os.getuid() == 0
    # Not pytest's own folder, which only its owner may enter.
    folder = Path(tempfile.mkdtemp(prefix="sorb-postgres-"))
    data, as_user = folder / "data", []
    if root:
        as_user = ["runuser", "-u", "postgres", "--"]
        shutil.chown(folder, "postgres")

    def run(*command, **options):
        command = [*as_user, *map(str, command)]
        return subprocess.run(command, check=True, capture_output=True, cwd=folder, **options)

    run(programs / "initdb", "-D", data, "-U", "tester", "-A", "trust", "-E", "UTF8", "--no-sync")
    settings = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
    run(programs / "pg_ctl", "-D", data, "-w", "-o", settings, "-l", folder / "log", "start")
    try:
        base = [programs / "psql", "-h", folder, "-U", "tester", "-d", "postgres"]
        options = ["-q", "-A", "-t", "-X", "-v", "ON_ERROR_STOP=1"]
        yield lambda script: run(*base, *options, input=script.encode()).stdout.decode()
    finally:
        run(programs / "pg_ctl", "-D", data, "-m", "immediate", "stop")
        shutil.rmtree(folder)


def json_values(text):
    """Read a JSON value, in hexadecimal, on each line; PostgreSQL writes the float64 40.0 as 40."""
    decoder = json.JSONDecoder(parse_int=float)
    lines = (bytes.fromhex(line.removeprefix("\\x")) for line in text.split())
    return [decoder.decode(line.decode("utf-8")) for line in lines]
