"""The table of all campaigns against this code, in benchmarks/results and in docs/trust.md."""

from collections import Counter

import tables
from attacks import figures
from attacks.campaign import RECORDS, read_record, source_digest
from attacks.registry import ATTACKS


def report(size):
    """Write the table; return whether anything failed or is missing."""
    campaigns = {attack: _campaign(attack) for attack in ATTACKS.values()}
    path = tables.RESULTS / "attacks.md"
    rows = [row(attack, *campaign) for attack, campaign in campaigns.items()]
    tables.write_markdown(path, "What was tried to break sorb", rows, notes(size))
    figures.renew()
    print(path.read_text("utf-8"))
    return any(
        chunks_count(chunks) < attack.count(size) or any(chunk.failures for chunk in chunks)
        for attack, (_, chunks) in campaigns.items()
    )


def _campaign(attack):
    """Whether an attack on this code was under sanitizers, and what was done."""
    head, chunks = read_record(RECORDS / f"{attack.name}.jsonl")
    return head.get("sanitized", False), chunks if head.get("code") == source_digest() else []


def chunks_count(chunks):
    return sum(chunk.count for chunk in chunks)


def row(attack, sanitized, chunks):
    outcomes = Counter()
    for chunk in chunks:
        outcomes.update(chunk.outcomes)
    return {
        "attack": attack.what + (", under AddressSanitizer and UBSan" if sanitized else ""),
        "cases": f"{chunks_count(chunks):,}",
        "outcomes": ", ".join(f"{count:,} {name}" for name, count in sorted(outcomes.items())),
        "failures": sum(len(chunk.failures) for chunk in chunks),
    }


def notes(size):
    command = "make attack" if size == 1 else f"make attack SIZE={size:g}"
    return [
        f"Written by `{command}`. [What each attack does](../../docs/trust.md).",
        "",
        f"Machine: {tables.machine()}.",
    ]
