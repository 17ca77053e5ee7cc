import pytest
from attacks import campaign
from attacks.registry import Attack

BREAKING = Attack("breaking_cases", "cases that break", 6, 6, seconds=2)


@pytest.fixture(scope="module")
def broken(tmp_path_factory):
    """What a campaign finds out about six cases, four of which break, and what it tells."""
    told = []
    records = tmp_path_factory.mktemp("records")
    chunks = campaign.run(BREAKING, 6, 1, records, told.append)
    return records, chunks, "\n".join(told)


def test_failures_crashes_and_endless_cases_are_noticed(broken):
    _, (chunk,), _ = broken
    assert chunk.outcomes == {"fine": 2}
    assert sorted(chunk.failures) == [1, 2, 3, 5]
    assert "this case fails" in chunk.failures[1]
    assert "ended with -6" in chunk.failures[2]
    assert "Timeout" in chunk.failures[3]


def test_each_failure_comes_with_the_command_that_repeats_it(broken):
    _, _, told = broken
    assert all(f"-m attacks breaking_cases --case {case}\n" in told for case in (1, 2, 3, 5))


def test_what_is_done_is_not_done_again(broken):
    records, chunks, _ = broken
    path = records / "breaking_cases.jsonl"
    before = path.read_text("utf-8")
    again = campaign.run(BREAKING, 6, 1, records)
    assert [chunk.outcomes for chunk in again] == [chunk.outcomes for chunk in chunks]
    assert path.read_text("utf-8") == before


def test_a_line_that_was_cut_off_is_done_again(broken, tmp_path):
    records, chunks, _ = broken
    content = (records / "breaking_cases.jsonl").read_text("utf-8")
    path = tmp_path / "breaking_cases.jsonl"
    path.write_text(content + content[-100:-50], encoding="utf-8")
    assert len(campaign.run(BREAKING, 6, 1, tmp_path)) == len(chunks)
    assert path.read_text("utf-8") == content


def test_other_code_is_attacked_anew(broken, tmp_path):
    records, _, _ = broken
    content = (records / "breaking_cases.jsonl").read_text("utf-8")
    path = tmp_path / "breaking_cases.jsonl"
    path.write_text(content.replace('"code": "', '"code": "another '), encoding="utf-8")
    assert campaign.run(BREAKING, 0, 1, tmp_path) == []
