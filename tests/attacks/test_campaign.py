import pytest
from attacks import campaign
from attacks.registry import Attack

BREAKING = Attack("breaking_cases", "cases that break", {"fine": 0.2}, 5, 5, seconds=2)


@pytest.fixture(scope="module")
def broken(tmp_path_factory):
    """What a campaign finds out about five cases, four of which break, and what it tells."""
    told = []
    records = tmp_path_factory.mktemp("records")
    chunks = campaign.run(BREAKING, 5, 1, records, told.append)
    return records, chunks, "\n".join(told)


def test_failures_crashes_and_endless_cases_are_noticed(broken):
    _, (chunk,), _ = broken
    assert chunk.outcomes == {"fine": 2}
    assert sorted(chunk.failures) == [1, 2, 3, 4]
    assert "this case fails" in chunk.failures[1]
    assert "ended with -6" in chunk.failures[2]
    assert "Timeout" in chunk.failures[3]
    assert "ended with -6" in chunk.failures[4]  # after it had said that all is fine


def test_each_failure_comes_with_the_command_that_repeats_it(broken):
    _, _, told = broken
    assert all(f"-m attacks breaking_cases --case {case}\n" in told for case in (1, 2, 3, 4))


def test_what_is_done_is_not_done_again(broken):
    records, chunks, _ = broken
    path = records / "breaking_cases.jsonl"
    before = path.read_text("utf-8")
    again = campaign.run(BREAKING, 5, 1, records)
    assert [chunk.outcomes for chunk in again] == [chunk.outcomes for chunk in chunks]
    assert path.read_text("utf-8") == before


def test_a_line_that_was_cut_off_is_done_again(broken, tmp_path):
    records, chunks, _ = broken
    content = (records / "breaking_cases.jsonl").read_text("utf-8")
    path = tmp_path / "breaking_cases.jsonl"
    path.write_text(content + content[-100:-50], encoding="utf-8")
    assert len(campaign.run(BREAKING, 5, 1, tmp_path)) == len(chunks)
    assert path.read_text("utf-8") == content


def test_other_code_is_attacked_anew(broken, tmp_path):
    records, _, _ = broken
    content = (records / "breaking_cases.jsonl").read_text("utf-8")
    path = tmp_path / "breaking_cases.jsonl"
    path.write_text(content.replace('"code": "', '"code": "another '), encoding="utf-8")
    assert campaign.run(BREAKING, 0, 1, tmp_path) == []


def test_a_library_says_whether_it_was_built_with_sanitizers(tmp_path):
    library = tmp_path / "kernels.so"
    library.write_bytes(b"\0__asan_report_load8\0__ubsan_handle_add_overflow\0")
    assert campaign.is_sanitized(library)
    library.write_bytes(b"\0__ubsan_handle_add_overflow\0")
    assert not campaign.is_sanitized(library)


def test_outcomes_that_are_unknown_or_too_rare_are_strange():
    attack = Attack("any", "anything", {"read": 0.1, "refused": 0.1}, 100, 10, seconds=1)
    assert attack.strange({"read": 50, "refused": 50}) == []
    assert attack.strange({"read": 5, "refused": 95}) == ["read"]
    assert attack.strange({"refused": 100}) == ["read"]
    assert attack.strange({"read": 50, "refused": 49, "lost": 1}) == ["lost"]


def test_what_failed_or_is_missing_or_strange_is_a_problem(broken):
    _, chunks, _ = broken
    attack = Attack("any", "anything", {"fine": 0.5, "refused": 0.5}, 10, 5, seconds=1)
    assert list(campaign.problems_of(attack, chunks, 10)) == [
        "any: only 5 of 10 cases were done",
        "any: 4 cases failed",
        "any: the outcome 'refused' is unknown, missing or too rare",
    ]
