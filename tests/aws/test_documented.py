"""The page for operators names what there is: every key of the answers, every setting, every query."""

from __future__ import annotations

import re
from pathlib import Path

from fieldwise.aws import answers, resolver, services
from fieldwise.aws.runs import Progress

PAGE = (Path(__file__).parent.parent.parent / "docs" / "aws.md").read_text("utf-8")
RUN = {"TestRunId": "run", "Status": "COMPLETE"}


def fields_of(name: str) -> dict[str, str]:
    """Return the fields of a type in the schema with their types."""
    found = re.search(rf"^type {name} [^{{]*\{{(.*?)^\}}", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None
    return dict(re.findall(r"^  (\w+)[^:\n]*(?:\(.*?\))?: (\S+)", found[1], re.MULTILINE))


def test_the_schema_has_the_keys_of_the_answers() -> None:
    """And AWSJSON is what is text."""
    shown = fields_of("TestRun")
    assert shown.keys() == answers.test_run(RUN, None).keys()
    assert {name for name, kind in shown.items() if kind == "AWSJSON"} == set(answers.AWS_JSON)
    progress = Progress(files=1, completed=1, failed=0, evaluating=0, queued=0)
    assert fields_of("TestRunStatus").keys() == answers.run_status(RUN, progress, status="COMPLETE").keys()
    assert fields_of("TestRunComparison").keys() == answers.comparison([]).keys()


def test_types_and_queries_say_who_may_read_them() -> None:
    """Every type has its directives, every query its groups."""
    assert re.findall(r"^type (\w+) \{", PAGE, re.MULTILINE) == ["Query"]
    schema = PAGE[PAGE.index("type Query") :]
    queries = re.findall(
        r"^  (\w+)\(.*\n    @aws_cognito_user_pools\(cognito_groups: .*@aws_iam$", schema, re.MULTILINE
    )
    assert queries == list(resolver.OPERATIONS)


def test_every_setting_is_documented() -> None:
    """Those in the table are those that are read."""
    source = Path(services.__file__).read_text("utf-8")
    read = set(re.findall(r"found(?:\.get\(|\[|, )\"([A-Z_]+)\"", source))
    assert set(re.findall(r"^\| `([A-Z_]+)` \|", PAGE, re.MULTILINE)) == read
