"""Many cases of an attack: done by processes that may crash or hang, and remembered when done.

A campaign is a file of lines, one for each chunk of cases, so that an interrupted one goes on where
it was. It begins anew when the code has changed.
"""

import hashlib
import json
import os
import shlex
import signal
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

from sorb import _kernels

ROOT = Path(__file__).parents[2]
RECORDS = ROOT / "build" / "attacks"
# What decides how a process runs, beside its command.
SETTINGS = ("LD_PRELOAD", "ASAN_OPTIONS", "UBSAN_OPTIONS")


@dataclass(frozen=True)
class Chunk:
    """Cases that were done one after the other, and what became of them."""

    first: int
    count: int
    outcomes: dict = field(default_factory=dict)
    failures: dict = field(default_factory=dict)


def show(line):
    """Print a line now, also into a file."""
    print(line, flush=True)


def run(attack, cases, jobs, records=RECORDS, tell=show):
    """Do the cases of an attack that are not done yet, and give all chunks."""
    path, now = records / f"{attack.name}.jsonl", conditions()
    before, done = read_record(path)
    done = done if before == now else []
    known = {chunk.first for chunk in done}
    todo = [first for first in range(0, cases, attack.chunk) if first not in known]
    _write_record(path, now, done)
    with ThreadPoolExecutor(jobs) as pool:
        for chunk in pool.map(lambda first: do_chunk(attack, first, tell), todo):
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(chunk)) + "\n")
            done.append(chunk)
            tell(summary(attack, done, cases))
    return done


def summary(attack, chunks, cases):
    done, failures = chunks_count(chunks), failures_count(chunks)
    return f"{attack.name}: {done:,} of {cases:,} {attack.what}, {failures} failures"


def problems_of(attack, chunks, cases):
    """What is wrong with a campaign, in sentences; normally nothing."""
    done, failures = chunks_count(chunks), failures_count(chunks)
    if done < cases:
        yield f"{attack.name}: only {done:,} of {cases:,} cases were done"
    if failures:
        yield f"{attack.name}: {failures:,} cases failed"
    for outcome in attack.strange(all_outcomes(chunks)):
        yield f"{attack.name}: the outcome {outcome!r} is unknown, missing or too rare"


def chunks_count(chunks):
    return sum(chunk.count for chunk in chunks)


def failures_count(chunks):
    return sum(len(chunk.failures) for chunk in chunks)


def all_outcomes(chunks):
    """How many cases came to each outcome."""
    return sum((Counter(chunk.outcomes) for chunk in chunks), Counter())


def conditions():
    """What must not change while a campaign goes on."""
    return {"code": source_digest(), "sanitized": is_sanitized(_kernels.__file__)}


def is_sanitized(library):
    """Whether a library was built with AddressSanitizer and UBSan, and so cannot do without."""
    content = Path(library).read_bytes()
    return b"__asan_" in content and b"__ubsan_" in content


def read_record(path):
    """The conditions of a campaign and its chunks, without a line that was cut off."""
    if not path.exists():
        return {}, []
    head, *lines = path.read_text("utf-8").split("\n")[:-1] or ["{}"]
    return json.loads(head), [Chunk(**json.loads(line)) for line in lines]


def _write_record(path, head, chunks):
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [head, *map(asdict, chunks)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def source_digest():
    """A digest of everything that an attack depends on."""
    digest = hashlib.sha256()
    for folder in ("src", "tests"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".py", ".pyi", ".cpp", ".hpp", ".json", ".toml"):
                digest.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def do_chunk(attack, first, tell=show):
    """Do cases in another process, and those after one that ends it in yet another."""
    outcomes, failures = Counter(), {}
    seed, end = first, first + attack.chunk
    while seed < end:
        lines, problem = _do_cases(attack, seed, end)
        for line in lines:
            if "failure" in line:
                failures[seed] = line["failure"]
            else:
                outcomes[line["outcome"]] += 1
            seed += 1
        if problem is not None:
            # After the last case, the process crashed on its way out.
            failures[min(seed, end - 1)] = problem
            seed += 1
    for case, failure in failures.items():
        tell(f"{attack.name}, case {case}: {failure}\nrepeat it with: {command_for(attack, case)}")
    return Chunk(first, attack.chunk, dict(outcomes), failures)


def _do_cases(attack, first, end):
    """What a process says of cases, line by line, and how it ended if it did not finish."""
    numbers = map(str, (attack.seconds, attack.megabytes, first, end))
    command = [sys.executable, "-m", "attacks.cases", attack.name, *numbers]
    paths = [str(ROOT / "tests"), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run(
        command, capture_output=True, text=True, errors="replace", cwd=ROOT, env=environment
    )
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode == -signal.SIGINT:
        raise KeyboardInterrupt
    if done.returncode == 0 and len(lines) == end - first:
        return lines, None
    return lines, f"the process ended with {done.returncode}\n{done.stderr[-4000:]}"


def command_for(attack, case):
    """The command that does one case again."""
    settings = {name: os.environ[name] for name in SETTINGS if name in os.environ}
    parts = [f"{name}={shlex.quote(value)}" for name, value in settings.items()]
    python = os.path.relpath(sys.executable, ROOT)
    return " ".join(
        [*parts, "PYTHONPATH=tests", python, "-m attacks", attack.name, f"--case {case}"]
    )
