"""Commands of the command line, run in this process."""

import contextlib
import io

from sorb.cli import run


def call(*arguments):
    """What a command prints, and the message of one line with which it refuses, or ""."""
    out, err = io.StringIO(newline=""), io.StringIO(newline="")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run([str(argument) for argument in arguments])
    messages = err.getvalue().splitlines()
    assert code in (0, 1, 2)
    assert all(line.startswith("sorb: ") and is_plain(line) for line in messages), messages
    assert code == 0 or len(messages) == 1, messages
    return out.getvalue(), messages[0] if code else ""


def is_plain(text):
    return all(character.isprintable() or character == "\n" for character in text)
