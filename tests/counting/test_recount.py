"""Every door counts what a recount of the documents does: metrics, added-up results, resolver, page, terminal, CSV."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fieldwise import Spec
from tests import recount as plain
from tests.counting.recount import CUT, check, check_by_objects, generated
from tests.recount import Document, recount


@pytest.mark.parametrize("seed", range(60))
def test_every_door_counts_the_same(tmp_path: Path, seed: int) -> None:
    """Lists in lost objects, shapes that differ by class, lists of lists, sections, trials, what cannot be read."""
    check(seed, tmp_path)


@pytest.mark.parametrize("seed", range(20))
def test_every_door_counts_rows_as_one_each(tmp_path: Path, seed: int) -> None:
    """The same where rows count by themselves, as in other systems."""
    check_by_objects(seed, tmp_path)


def test_the_sets_hold_what_is_hard_to_count() -> None:
    """Sections, trials, classes and plain documents, some lost, some unreadable, one name with several shapes."""
    sets = [generated(seed) for seed in range(60)]
    assert {made.form for made in sets} == {"sections", "trials", "classes", "plain"}
    assert {made.declares for made in sets} == {False, True}
    texts = [repr(made.documents) for made in sets]
    for odd in ("MISSING", "UNREADABLE"):
        held = repr(getattr(plain, odd))
        assert any(held in text for text in texts)
    shapes = [{name: of.kind for name, of in shape.fields.items()} for made in sets for shape in made.classes.values()]
    assert any({"list", "object", "text"} <= {held.get(name) for held in shapes} for name in ("vendor", "lines"))
    assert json.loads(json.dumps(CUT)) == CUT


def test_words_that_stand_for_nothing_are_those_of_the_spec() -> None:
    """The recount takes a text for a value unless the spec says that it is none."""
    spec = Spec.from_json_schema({"type": "object", "properties": {"a": {"type": "string"}}})
    document = Document("d", {"a": "x"}, [{"a": "n/a"}])
    assert recount(spec.with_absent(""), [document]).whole.total == {"fd": 1}
    assert recount(spec.with_absent("n/a"), [document]).whole.total == {"fn": 1}
