"""The table of all campaigns against this code, in benchmarks/results and in docs/trust.md."""

import tables
from attacks import figures
from attacks.campaign import (
    RECORDS,
    all_outcomes,
    chunks_count,
    failures_count,
    problems_of,
    read_record,
    source_digest,
)
from attacks.registry import ATTACKS
from export.targets import every_target


def report(size):
    """Write the table; return whether anything failed, is missing or is strange."""
    campaigns = [(attack, *_campaign(attack, size)) for attack in ATTACKS.values()]
    path = tables.RESULTS / "attacks.md"
    rows = [row(*campaign) for campaign in campaigns]
    tables.write_markdown(path, "What was tried to break sorb", rows, notes(size))
    figures.renew()
    print(path.read_text("utf-8"))
    problems = [
        problem
        for attack, _, chunks in campaigns
        for problem in problems_of(attack, chunks, attack.count(size))
    ]
    print("".join(f"{problem}\n" for problem in problems), end="")
    return bool(problems)


def _campaign(attack, size):
    """Whether an attack on this code was under sanitizers, and what was done at this size."""
    head, chunks = read_record(RECORDS / f"{attack.name}.jsonl")
    if head.get("code") != source_digest():
        return False, []
    return head["sanitized"], [chunk for chunk in chunks if chunk.first < attack.count(size)]


def row(attack, sanitized, chunks):
    outcomes = sorted(all_outcomes(chunks).items())
    return {
        "attack": attack.what + (", under AddressSanitizer and UBSan" if sanitized else ""),
        "cases": f"{chunks_count(chunks):,}",
        "outcomes": ", ".join(f"{count:,} {name}" for name, count in outcomes),
        "failures": failures_count(chunks),
    }


def notes(size):
    command = "make attack" if size == 1 else f"make attack SIZE={size:g}"
    return [
        f"Written by `{command}`. [What each attack does](../../docs/trust.md).",
        "",
        f"Code: {source_digest()}, a digest of `src` and `tests`.",
        "",
        f"Exports that were run: {', '.join(every_target())}.",
        "",
        f"Machine: {tables.machine()}.",
    ]
