"""``fieldwise diff``: two runs on the same documents, compared through the front door."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar as sm_mcnemar  # type: ignore[import-untyped]  # no types
from statsmodels.stats.multitest import multipletests  # type: ignore[import-untyped]  # no types

from fieldwise.cli.diff import diff as diff_command
from fieldwise.readers.pairs import MISSING
from tests.folders import part_of
from tests.page_answers import answers_in
from tests.stats import oracles
from tests.strategies import examples

from .results import EXACT, answer, command, difference, document, refused, tables, write_run

Json = Any
DOCUMENTS = 60


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A base with errors here and there, and a candidate that has fewer in `code` and more in `name`."""
    root = tmp_path_factory.mktemp("runs")
    base, candidate = {}, {}
    for number in range(DOCUMENTS):
        often = ["code"] if number % 2 else []
        seldom = ["sku"] if number % 7 == 0 else []
        base[f"d{number:03d}"] = document(number, wrong=[*often, *seldom, *(["total"] if number % 10 == 0 else [])])
        worse = ["name"] if number % 9 == 0 else []
        candidate[f"d{number:03d}"] = document(number, wrong=[*worse, *seldom, *(["items"] if number == 5 else [])])
    return write_run(root / "base", base), write_run(root / "candidate", candidate)


def test_the_verdict_and_the_field_that_changed_are_told(runs: tuple[Path, Path]) -> None:
    """The first line is the verdict; fields are named with what they are; exit code 1 as one is clearly worse."""
    done = command("diff", *runs)
    assert done.exit_code == 1, done.output
    start = "⇅ Clearly worse in 1 field: name (−11.67 points), though better on all values together: F1 (strict) is "
    assert done.output.startswith(start)
    (line,) = (line for line in done.output.splitlines() if line.strip().startswith("code "))
    assert "▲ better" in " ".join(line.split())
    assert "broken" in done.output


def test_a_worse_candidate_exits_with_1(runs: tuple[Path, Path]) -> None:
    """The other way round the candidate is worse."""
    done = command("diff", runs[1], runs[0])
    assert done.exit_code == 1
    assert done.output.startswith("▼ The candidate is worse")


def test_turning_the_runs_around_turns_the_signs(runs: tuple[Path, Path]) -> None:
    """Deltas, bounds, improved and regressed documents, fixed and broken values change places."""
    there, back = difference(*runs), difference(runs[1], runs[0])
    assert there["total"]["delta"] == pytest.approx(-back["total"]["delta"])
    assert there["total"]["low"] == pytest.approx(-back["total"]["high"])
    assert there["total"]["improved"] == back["total"]["regressed"]
    assert there["flips"]["fixed"] == back["flips"]["broken"]
    assert {name: row["p"] for name, row in there["fields"].items()} == {
        name: row["p"] for name, row in back["fields"].items()
    }


@pytest.mark.parametrize("metric", ["precision", "recall", "strict_recall", "f1"])
def test_every_rate_can_be_compared(runs: tuple[Path, Path], metric: str) -> None:
    """``--metric`` chooses the rate; documents in which it is undefined in both runs don't count."""
    found = difference(*runs, "--metric", metric)
    sides = [json.loads((folder / "metrics.json").read_bytes())["aggregate"][metric] for folder in runs]
    assert found["total"]["delta"] == pytest.approx(sides[1] - sides[0])
    for row in found["fields"].values():
        assert row["improved"] + row["regressed"] + row["tied"] == row["n"]


def test_a_scalar_field_is_tested_as_statsmodels_does(runs: tuple[Path, Path]) -> None:
    """McNemar's p of `code` and of `name` are those of statsmodels on documents right in one run only."""
    found = difference(*runs)
    for field in ("code", "name", "total"):
        base, candidate = tables(runs[0], field), tables(runs[1], field)
        right = [(base[name]["match"], candidate[name]["match"]) for name in base]
        square = [[right.count((1, 1)), right.count((1, 0))], [right.count((0, 1)), right.count((0, 0))]]
        exact = square[0][1] + square[1][0] < 25
        assert found["fields"][field]["p"] == pytest.approx(sm_mcnemar(square, exact=exact, correction=True).pvalue)
        assert found["fields"][field]["test"] == "mcnemar"


def test_p_values_are_adjusted_over_the_fields_that_differ(runs: tuple[Path, Path]) -> None:
    """Holm and Benjamini-Hochberg are those of statsmodels over the fields in which six documents or more differ."""
    rows = difference(*runs)["fields"]
    differing = {name: row for name, row in rows.items() if row["q"] is not None}
    assert set(differing) == {name for name, row in rows.items() if row["differing"] >= 6}
    p = [row["p"] for row in differing.values()]
    assert [row["p_holm"] for row in differing.values()] == pytest.approx(multipletests(p, method="holm")[1])
    assert [row["q"] for row in differing.values()] == pytest.approx(multipletests(p, method="fdr_bh")[1])


def test_the_interval_is_that_of_paired_residuals(runs: tuple[Path, Path]) -> None:
    """The bounds of all values together leave each document out in turn, with half of one more that one run loses."""
    found = difference(*runs)["total"]
    base, candidate = tables(runs[0]), tables(runs[1])
    sides = []
    for side in (base, candidate):
        top = np.array([2 * side[name]["match"] for name in base])
        wrong = [2 * side[name]["mismatch"] + side[name]["spurious"] + side[name]["missed"] for name in base]
        sides.append((top, top + np.array(wrong)))
    rates = [top.sum() / bottom.sum() for top, bottom in sides]
    expected = oracles.paired([list(zip(top.tolist(), bottom.tolist(), strict=True)) for top, bottom in sides])
    assert found["delta"] == pytest.approx(rates[1] - rates[0])
    assert [found["se"], found["low"], found["high"]] == pytest.approx([expected.se, expected.low, expected.high])


def test_documents_as_wholes_are_compared(runs: tuple[Path, Path]) -> None:
    """The mean of documents is bounded by leaving documents out; documents without error are tested by McNemar."""
    found = difference(*runs)["headlines"]
    scores = []
    for folder in runs:
        rows = [counts for _, counts in sorted(tables(folder).items())]
        scores.append(
            [2 * c["match"] / (2 * c["match"] + 2 * c["mismatch"] + c["spurious"] + c["missed"]) for c in rows]
        )
    bounds = oracles.paired([[(score, 1) for score in side] for side in scores], "document_macro_f1")
    macro = found["document_macro"]
    assert (macro["low"], macro["high"]) == pytest.approx((bounds.low, bounds.high))
    assert macro["base"]["value"] == pytest.approx(np.mean(scores[0]))
    exact = [[score == 1.0 for score in side] for side in scores]
    assert found["exact_documents"]["delta"] == pytest.approx(np.mean(exact[1]) - np.mean(exact[0]))


def test_flips_show_three_values(runs: tuple[Path, Path]) -> None:
    """A flip has what was expected and what each run predicted; a missing item has no predicted value."""
    flips = difference(*runs)["flips"]
    shown = {(flip["document"], flip["path"]): flip for flip in flips["shown"]}
    fixed = shown["d001", "code"]
    assert (fixed["direction"], fixed["expected"], fixed["base"], fixed["candidate"]) == (
        "fixed",
        "code 1",
        "wrong code",
        "code 1",
    )
    broken = shown["d009", "name"]
    assert (broken["direction"], broken["candidate"], broken["candidate_outcome"]) == (
        "broken",
        "wrong name",
        "mismatch",
    )
    lost = shown["d005", "items[0].sku"]
    assert (lost["direction"], lost["candidate"], lost["candidate_outcome"]) == ("broken", None, "missed")


def test_more_flips_than_fit_are_counted_all(runs: tuple[Path, Path]) -> None:
    """``--flips 0`` lists none and still says how many there are."""
    found = command("diff", *runs, "--flips", "0").output
    assert "values broken" in found
    assert "d001" not in found


def test_all_fields_are_listed_where_asked_for(tmp_path: Path) -> None:
    """Of many fields that changed 40 are listed, and how many are not is said; ``--all`` lists every one."""
    names = [f"field_{number:02d}" for number in range(45)]
    schema = {"type": "object", "properties": dict.fromkeys(names, EXACT["properties"]["name"])}  # type: ignore[index]  # JSON
    right = {f"d{k}": (dict.fromkeys(names, "right"), dict.fromkeys(names, "right")) for k in range(8)}
    wrong = {name: (expected, dict.fromkeys(names, "wrong")) for name, (expected, _) in right.items()}
    runs = write_run(tmp_path / "a", right, schema=schema), write_run(tmp_path / "b", wrong, schema=schema)
    for options, listed in (((), 40), (("--all",), 45)):
        shown = command("diff", *runs, "--flips", "0", *options).output
        assert sum(line.strip().startswith("field_") for line in shown.splitlines()) == listed
        assert ("5 more fields not listed; --all lists them" in shown) is (listed == 40)


def test_equal_runs_are_equal(runs: tuple[Path, Path]) -> None:
    """A run against itself: no difference, interval of width 0, exit code 0, on the page too."""
    found = difference(runs[0], runs[0])
    assert (found["finding"], found["total"]["delta"], found["flips"]["fixed"]) == ("equal", 0.0, 0)
    assert command("diff", runs[0], runs[0]).output.startswith("= No difference")


def test_one_document_is_too_few(tmp_path: Path) -> None:
    """With one document there is a difference, no interval, no verdict; exit code 4."""
    base = write_run(tmp_path / "base", {"only": document(1, wrong=["name"])})
    candidate = write_run(tmp_path / "candidate", {"only": document(1)})
    found = difference(base, candidate)
    assert (found["finding"], found["total"]["low"], found["total"]["p"]) == ("too_few", None, None)
    assert found["total"]["delta"] > 0
    done = command("diff", base, candidate)
    assert (done.exit_code, "Too few documents" in done.output) == (4, True)


def test_runs_with_different_documents_are_intersected(tmp_path: Path) -> None:
    """Only the documents of both runs count, and the others are told with some of their ids."""
    base = write_run(tmp_path / "base", {f"d{k}": document(k, wrong=["name"] if k % 2 else []) for k in range(12)})
    candidate = write_run(tmp_path / "candidate", {f"d{k}": document(k) for k in range(8, 20)})
    found = difference(base, candidate)
    assert found["documents"]["compared"] == 4
    assert found["documents"]["base_only"]["count"] == 8
    assert found["total"]["n"] == 4
    text = command("diff", base, candidate).output
    assert "8 documents only in the base, left out (d0, d1, d2, …)" in text
    assert "8 documents only in the candidate, left out" in text


def test_runs_without_a_common_document_are_refused(tmp_path: Path) -> None:
    """Nothing to compare is bad input; an id of each run shows why."""
    base = write_run(tmp_path / "base", {"a.json": document(1)})
    candidate = write_run(tmp_path / "candidate", {"b.json": document(1)})
    message = refused("diff", base, candidate)
    assert "no document in common" in message
    assert "a.json" in message
    assert "b.json" in message


def test_a_failed_document_counts_as_missed(tmp_path: Path) -> None:
    """A prediction that is missing or of another shape stays in, with every expected value missed."""
    documents = {f"d{k}": document(k) for k in range(30)}
    base = write_run(tmp_path / "base", documents)
    lost = {**documents, "d3": (documents["d3"][0], None), "d4": (documents["d4"][0], ["no object"])}
    candidate = write_run(tmp_path / "candidate", lost)
    found = difference(base, candidate)
    assert found["documents"]["compared"] == 30
    assert found["total"]["regressed"] == 2
    assert found["flips"]["broken"] == 2 * 9
    assert found["total"]["candidate"]["value"] < 1.0


def test_other_rules_are_refused_unless_allowed(tmp_path: Path) -> None:
    """Runs with different specs say nothing about predictions; with the flag they are computed and marked."""
    loose = {**EXACT, "properties": {**EXACT["properties"], "name": {"type": "string"}}}  # type: ignore[dict-item]  # JSON
    documents = {f"d{k}": document(k, wrong=["name"]) for k in range(5)}
    base = write_run(tmp_path / "base", documents)
    candidate = write_run(tmp_path / "candidate", documents, schema=loose)
    assert "--allow-different-rules" in refused("diff", base, candidate)
    found = difference(base, candidate, "--allow-different-rules")
    assert found["different_rules"]
    assert "different rules" in command("diff", base, candidate, "--allow-different-rules").output


def test_other_expected_values_are_told(tmp_path: Path) -> None:
    """Where the truth itself changed between the runs, the documents are named."""
    documents = {f"d{k}": document(k) for k in range(5)}
    base = write_run(tmp_path / "base", documents)
    changed = {**documents, "d2": ({**documents["d2"][0], "name": "corrected"}, documents["d2"][1])}
    candidate = write_run(tmp_path / "candidate", changed)
    found = difference(base, candidate)
    assert found["documents"]["other_expected_values"] == {"count": 1, "first": ["d2"]}
    shown = command("diff", base, candidate).output
    assert "1 document with other expected values" in shown
    assert "name 2 in the base, corrected in the" in shown


def test_metrics_files_give_unpaired_differences(runs: tuple[Path, Path], tmp_path: Path) -> None:
    """Without rows documents can't be paired: wider intervals, no verdict, no flips, and it says so."""
    files = [folder / "metrics.json" for folder in runs]
    found, paired = difference(files[0], files[1]), difference(*runs)
    assert (found["paired"], found["finding"], "flips" in found) == (False, None, False)
    assert found["total"]["delta"] == pytest.approx(paired["total"]["delta"])
    assert found["total"]["high"] - found["total"]["low"] > paired["total"]["high"] - paired["total"]["low"]
    done = command("diff", *files)
    assert done.exit_code == 0
    assert done.output.startswith("Not paired")
    page = tmp_path / "page.html"
    assert command("diff", *files, "--html", page).exit_code == 0
    answers = answers_in(page.read_text(encoding="utf-8"))
    assert answers.difference is None
    assert answers.unpaired is not None
    assert answers.unpaired.to_json() == command("diff", *files, "--json").stdout.strip()


def test_what_is_no_run_is_refused(tmp_path: Path, runs: tuple[Path, Path]) -> None:
    """A folder without metrics, a stopped evaluation, a file of something else: each says what it is and what to do."""
    assert "There is no file or folder" in refused("diff", tmp_path / "nowhere", runs[0])
    (tmp_path / "empty").mkdir()
    assert "no metrics.json" in refused("diff", tmp_path / "empty", runs[0])
    (tmp_path / "stopped" / ".fieldwise-work").mkdir(parents=True)
    assert "--resume" in refused("diff", tmp_path / "stopped", runs[0])
    (tmp_path / "other.json").write_text('{"a": 1}')
    assert "is no metrics file" in refused("diff", tmp_path / "other.json", runs[0])


@given(
    st.lists(
        st.tuples(
            st.sets(st.sampled_from(["name", "code", "total", "sku", "items"])),
            st.sets(st.sampled_from(["name", "code", "total", "sku", "items"])),
        ),
        min_size=1,
        max_size=8,
    )
)
@settings(
    max_examples=examples(30),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    deadline=None,
)
def test_flips_add_up(tmp_path_factory: pytest.TempPathFactory, wrong: list[tuple[set[str], set[str]]]) -> None:
    """Fixed less broken values is what the candidate has more right, less what it invented more."""
    root = tmp_path_factory.mktemp("law")
    sides = []
    for side in (0, 1):
        documents = {f"d{k}": document(k, wrong=sorted(pair[side])) for k, pair in enumerate(wrong)}
        sides.append(write_run(root / str(side), documents))
    found = difference(sides[0], sides[1])
    metrics = [json.loads((folder / "metrics.json").read_bytes())["aggregate"] for folder in sides]
    gained = (metrics[1]["tp"] - metrics[1]["fa"]) - (metrics[0]["tp"] - metrics[0]["fa"])
    assert found["flips"]["fixed"] - found["flips"]["broken"] == gained
    assert found["total"]["base"]["value"] == pytest.approx(metrics[0]["strict_f1"])
    assert found["total"]["improved"] + found["total"]["regressed"] + found["total"]["tied"] == found["total"]["n"]
    assert not found["documents"]["other_expected_values"]["count"]


def test_a_rate_that_is_undefined_is_no_equality(tmp_path: Path) -> None:
    """Where every value became wrong, recall has nothing to divide by: no verdict, exit code 4, on fields too."""
    right = {f"d{k}": ({"name": f"n {k}"}, {"name": f"n {k}"}) for k in range(10)}
    wrong = {name: (expected, {"name": "other"}) for name, (expected, _) in right.items()}
    base, candidate = write_run(tmp_path / "a", right), write_run(tmp_path / "b", wrong)
    done = command("diff", base, candidate, "--metric", "recall")
    assert done.exit_code == 4
    assert done.output.startswith("– Cannot be told: detection recall has nothing to divide by in the candidate")
    assert difference(base, candidate, "--metric", "recall")["fields"]["name"]["finding"] == "worse"


def test_a_field_that_only_the_candidate_invents_is_worse(tmp_path: Path) -> None:
    """Its rate is undefined in the base; the documents tell."""
    base = write_run(tmp_path / "a", {f"d{k}": document(k) for k in range(20)})
    invented = {f"d{k}": (document(k)[0], {**document(k)[1], "extra": "x"}) for k in range(20)}
    found = difference(base, write_run(tmp_path / "b", invented))
    assert found["fields"]["extra"]["finding"] == "worse"


def test_ids_and_values_cannot_steer_the_terminal(tmp_path: Path) -> None:
    """Brackets and escape characters in ids, names and values are printed, not obeyed."""
    sides = []
    for name, read in (("a", "right"), ("b", "\x1b[31mwrong")):
        runs = {f"[red]{k}[/red]": ({"[b]f": "right"}, {"[b]f": read}) for k in range(3)}
        schema = {"type": "object", "properties": {"[b]f": {"type": "string"}}}
        sides.append(write_run(tmp_path / name, runs, schema=schema))
    shown = command("diff", *sides).output
    assert "[red]0[/red]" in shown
    assert "[b]f" in shown
    assert "\x1b" not in shown


def test_a_narrow_terminal_shows_what_matters(runs: tuple[Path, Path]) -> None:
    """At 60 columns every field has its difference and interval, uncut."""
    shown = command("diff", *runs, columns=60).output
    (line,) = (line for line in shown.splitlines() if line.strip().startswith("code "))
    assert "+50.00" in line
    assert "…" not in line


def test_damaged_rows_are_told_with_their_file(runs: tuple[Path, Path], tmp_path: Path) -> None:
    """A Parquet file with broken bytes is bad input, and which file it is is said."""
    copy = tmp_path / "copy"
    shutil.copytree(runs[0], copy)
    path = part_of(copy, "errors")
    content = bytearray(path.read_bytes())
    content[100:2000] = b"\xff" * 1900
    path.write_bytes(bytes(content))
    assert str(path) in refused("diff", copy, runs[1])


def test_runs_counted_by_objects_are_compared_by_values(tmp_path: Path) -> None:
    """Rows are compared value by value in either mode; where metrics.json counts otherwise, that is told."""
    documents = {f"d{k}": document(k, wrong=["items"] if k % 2 else []) for k in range(6)}
    folder = write_run(tmp_path / "a", documents)
    objects = tmp_path / "objects"
    command(
        "evaluate",
        folder.parent / "pairs.jsonl",
        "--schema",
        folder / "spec.json",
        "--unmatched",
        "objects",
        "--out",
        objects,
    )
    assert "counted one by one" in command("diff", objects, objects).output
    assert "counted one by one" not in command("diff", folder, folder).output
    assert "--unmatched" in refused("diff", folder, objects)


PAGE = (Path(__file__).parents[2] / "docs" / "diff.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("option", [o for o in diff_command.params if isinstance(o, click.Option)], ids=str)
def test_every_option_is_explained(option: click.Option) -> None:
    """Each option of the command is named on its page, and ``--help`` says what it does."""
    assert f"`{option.opts[0]}" in PAGE
    assert option.help
    assert " ".join(option.help.split()) in " ".join(command("diff", "--help").output.split())


def test_predictions_that_nobody_asked_for_are_no_documents(tmp_path: Path) -> None:
    """In both runs, in one, in the other: they are named as predictions, and a gate asks for none of them."""
    documents = {f"d{number}": document(number) for number in range(12)}
    more = {f"x{number}": (MISSING, {"total": 1}) for number in range(20)}
    base = write_run(tmp_path / "base", {**documents, **more})
    candidate = write_run(tmp_path / "candidate", {**documents, "x0": (MISSING, {"total": 1}), "y": (MISSING, {})})
    found = difference(base, candidate)["documents"]
    assert (found["compared"], found["without_expected"]["count"]) == (12, 21)
    assert (found["base_only"]["count"], found["candidate_only"]["count"], found["excluded"]["count"]) == (0, 0, 0)
    said = "21 predictions that no expected document asks for, left out (x0, x1, x2, …)"
    for arguments in (("diff", base, candidate), ("gate", "--baseline", base, candidate)):
        shown = command(*arguments).output
        assert said in shown
        assert "only in the" not in shown
    assert answer("--baseline", base, candidate)["common_documents"]["of"] == 12


def test_a_difference_that_is_shown_is_not_set_beside_a_larger_one(tmp_path: Path) -> None:
    """What could be detected in most sets is said where no difference was found; the JSON always has it."""
    before = {f"d{number}": document(number, wrong=["total"] if number % 3 == 0 else []) for number in range(40)}
    after = {f"d{number}": document(number) for number in range(40)}
    runs = write_run(tmp_path / "base", before), write_run(tmp_path / "candidate", after)
    assert difference(*runs)["finding"] == "better"
    assert difference(*runs)["total"]["detectable"] > 0
    assert "could be detected" not in command("diff", *runs).output
