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


class Server:
    """A running server; called with a script, it gives what the script prints."""

    user, database = "tester", "postgres"

    def __init__(self, folder):
        self.folder = folder  # of the socket, too
        self._as_user = []
        if os.getuid() == 0:
            self._as_user = ["runuser", "-u", "postgres", "--"]
            shutil.chown(folder, "postgres")

    def _run(self, program, *arguments, **options):
        command = [*self._as_user, str(_programs() / program), *map(str, arguments)]
        # With the libraries of the sanitizers, which tests may run with, it would hang.
        env = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
        return subprocess.run(
            command, check=True, capture_output=True, cwd=self.folder, env=env, **options
        )

    def initialise(self):
        self._run("initdb", "-D", "data", "-U", self.user, "-A", "trust", "-E", "UTF8", "--no-sync")

    def start(self):
        settings = f"-c listen_addresses='' -c unix_socket_directories={self.folder} -c fsync=off"
        self._run("pg_ctl", "-D", "data", "-w", "-o", settings, "-l", "log", "start")

    def stop(self):
        self._run("pg_ctl", "-D", "data", "-m", "immediate", "stop")

    def __call__(self, script):
        base = ["-h", self.folder, "-U", self.user, "-d", self.database]
        options = ["-q", "-A", "-t", "-X", "-v", "ON_ERROR_STOP=1"]
        return self._run("psql", *base, *options, input=script.encode()).stdout.decode()


@contextmanager
def running_server():
    """Start a temporary server."""
    # Not pytest's own folder, which only its owner may enter.
    server = Server(Path(tempfile.mkdtemp(prefix="sorb-postgres-")))
    server.initialise()
    server.start()
    try:
        yield server
    finally:
        server.stop()
        shutil.rmtree(server.folder)


def json_values(text):
    """Read a JSON value, in hexadecimal, on each line; PostgreSQL writes the float64 40.0 as 40."""
    decoder = json.JSONDecoder(parse_int=float)
    lines = (bytes.fromhex(line.removeprefix("\\x")) for line in text.split())
    return [decoder.decode(line.decode("utf-8")) for line in lines]
