"""Open document pairs, whatever form they come in: the front door of the readers.

Every form becomes one of three things: trees of files matched by path, files that are named one by one, or
files of lines matched by id.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

from fieldwise.errors import InputError, SettingError
from fieldwise.limits import ReadLimits
from fieldwise.readers.buckets import ListedObjects, is_address, side_prefixes
from fieldwise.readers.csv_files import (
    describe_tables,
    id_columns,
    matching_note,
    open_value_table,
    write_rows,
)
from fieldwise.readers.envelopes import SIDES, Side
from fieldwise.readers.fetched import fetch_documents, open_address
from fieldwise.readers.file_list import FilePairs, open_table, open_two_files
from fieldwise.readers.folders import Folder, open_sides, open_zip, side_names
from fieldwise.readers.formats import (
    LINES,
    SUFFIXES,
    TREES,
    Form,
    existing,
    find_form,
    parquet_files,
    unpack_gzip,
    write_items,
)
from fieldwise.readers.inside import InsidePairs, take_inside
from fieldwise.readers.join import LinesJoin, PairLines
from fieldwise.readers.lines import Layout, LinesFile, is_blank, look_at_lines, open_lines, with_ids, with_pairs
from fieldwise.readers.memory import InMemory, MatchedPairs, one_input, two_inputs
from fieldwise.readers.received import STANDARD_INPUT, ReceivedPairs, is_received, receive_input, receive_pairs
from fieldwise.readers.sides import decide, id_notes, shared_id_key
from fieldwise.readers.source import (
    MISSING,
    Conflicting,
    Missing,
    Origin,
    Pair,
    PairSource,
    ReadRules,
    Shard,
    Unreadable,
)
from fieldwise.readers.temporary import Scratch
from fieldwise.readers.trees import Tree, TreePairs, list_trees

__all__ = [
    "MISSING",
    "Conflicting",
    "InMemory",
    "Missing",
    "Pair",
    "PairSource",
    "Shard",
    "Unreadable",
    "as_source",
    "open_pairs",
    "without_ids",
]


def open_pairs(
    expected: str | Path | InMemory,
    predicted: str | Path | InMemory | None = None,
    *,
    id_column: str | None = None,
    strict_json: bool = False,
    expected_at: str | None = None,
    predicted_at: str | None = None,
    class_key: str | None = None,
    max_bytes: int = ReadLimits.max_bytes,
    max_unpacked: int = ReadLimits.max_unpacked,
    max_depth: int = ReadLimits.max_depth,
    follow_symlinks: bool = False,
) -> PairSource:
    """Open pairs of documents; what the paths are decides how they are read.

    Two folders or zips are matched by relative path, and ``<document>/sections/<n>/result.json`` are the sections of
    one document; two files of JSON Lines, CSV or Parquet, or JSON lists, by id, or by line where a file has none; two
    JSON files are one pair. One input holds both sides: JSON Lines or Parquet of pairs, a CSV of paths, a folder or zip
    with a folder for each side. ``-`` is standard input. An address such as ``s3://bucket/expected`` stands for a
    folder, or for a file where an object has this key; its documents are fetched when it is opened. Where an id
    repeats, its pairs are trials of one document.

    Documents in memory are dicts, models, dataclasses or JSON texts. One input holds both sides: an iterable of
    ``(id, expected, predicted)`` or of dicts with these keys, or a data frame with these columns. Two inputs are dicts
    of documents by id; lists, matched by position; or data frames (pandas, polars, Arrow) whose columns are fields,
    matched by index, or by position where that only counts rows. A key or column that is called ``id``, ``doc_id`` or
    the like, in which every document of both sides has an id of its own, matches lists and data frames instead of a
    position, which a note says; ``id_column`` names another one. What only one side has is a document that the other
    side lacks.

    With ``strict_json`` a document with a duplicate key is unreadable.
    ``expected_at`` and ``predicted_at`` are paths at which the documents are in what is read, such as ``result``.
    ``class_key`` is a key of expected documents, or of their metadata, that names the class of each.
    A document of more than ``max_bytes`` or of more than ``max_depth`` levels is unreadable; an archive that unpacks to
    more than ``max_unpacked`` bytes, or to more than 200 times its size, is refused. Files outside of the input's
    folder, to which a link leads, are unreadable unless ``follow_symlinks`` says so.
    """
    limits = ReadLimits(max_bytes, max_unpacked, max_depth)
    rules = ReadRules(limits, strict=strict_json, follow_symlinks=follow_symlinks)
    scratch = Scratch()
    try:
        source = _open(expected, predicted, id_column, scratch, rules)
        return take_inside(source, _below(source, 0, expected_at), _below(source, 1, predicted_at), class_key)
    except BaseException:
        scratch.remove()
        raise


def as_source(
    pairs: PairSource | str | Path | InMemory,
    predicted: str | Path | InMemory | None = None,
    id_column: str | None = None,
) -> PairSource:
    """Return a source of pairs as it is, and open anything else."""
    if not hasattr(pairs, "shards"):
        return open_pairs(cast("InMemory", pairs), predicted, id_column=id_column)
    if predicted is not None or id_column is not None:
        raise InputError(
            "Expected documents on both sides, got what open_pairs returns, which has both sides already",
            code="input.wrong_type",
            advice="leave out predicted and id_column",
        )
    return cast("PairSource", pairs)


def _open(
    expected: str | Path | InMemory,
    predicted: str | Path | InMemory | None,
    id_column: str | None,
    scratch: Scratch,
    rules: ReadRules,
) -> PairSource:
    if not isinstance(expected, str | Path):
        if isinstance(predicted, str | Path):
            raise _one_in_memory("predicted", predicted)
        if predicted is None:
            return _open_memory(MatchedPairs(one_input(expected, id_column)), scratch, rules)
        return _open_memory(two_inputs(expected, predicted, id_column), scratch, rules)
    if not (predicted is None or isinstance(predicted, str | Path)):
        raise _one_in_memory("expected", expected)
    if id_column is not None:
        raise SettingError(
            "Expected id_column with documents in memory alone; files say by themselves what their ids are",
            code="setting.conflict",
            facts={"setting": "id_column"},
        )
    if str(expected) == str(predicted) == STANDARD_INPUT:
        raise InputError("Only one of the two sides can be read from standard input", code="input.one_standard_input")
    left = _found(expected, "expected", scratch, rules)
    if predicted is None:
        return _open_one(left, scratch, rules)
    return _open_two(left, _found(predicted, "predicted", scratch, rules), scratch, rules)


def _below(source: PairSource, side: int, path: str | None) -> str | None:
    """Return a path below the envelope of a side, also where it begins with the keys that lead to its documents."""
    match source:
        case LinesJoin():
            opening = source.files[0].layout.openings[side]
        case PairLines():
            opening = source.file.layout.openings[side][1:]
        case FilePairs():
            opening = source.decided[:2][side]
        case TreePairs():
            opening = source.decided[False][:2][side]
        case _:
            return path
    start = ".".join(opening)
    if path is None or not start or not f"{path}.".replace("[", ".").startswith(f"{start}."):
        return path
    return path.removeprefix(start).removeprefix(".") or None


Found = Path | ListedObjects
"""What an input is: a file or folder, or the objects under an S3 address."""


def _found(path: str | Path, side: Side, scratch: Scratch, rules: ReadRules) -> Found:
    if isinstance(path, str) and is_address(path):
        return open_address(path, side, scratch, rules.limits, SUFFIXES)
    return receive_input(scratch) if str(path) == STANDARD_INPUT else existing(path)


def without_ids(source: PairSource, declared: Collection[str] = ()) -> PairSource:
    """Return the same pairs without the ids by which they were matched, where these stand among the values.

    Such an id is always right. One that is declared as a value stays.
    """
    if isinstance(source, InsidePairs):
        return replace(source, source=without_ids(source.source, declared))
    return source.without_ids(declared) if isinstance(source, LinesJoin | ReceivedPairs) else source


def _one_in_memory(side: Side, path: str | Path) -> InputError:
    return InputError(
        f"Expected two paths or two inputs in memory, got the path {path} as {side} and documents on the other side",
        code="input.wrong_type",
        facts={"file": path, "side": side},
    )


def _open_memory(given: MatchedPairs, scratch: Scratch, rules: ReadRules) -> PairSource:
    path, refused = receive_pairs(given.pairs, scratch)
    if not path.stat().st_size:
        raise InputError("Expected pairs of documents, got none", code="input.empty")
    file, notes = with_pairs(open_lines(str(path), path.name, replace(rules, strict=False), noun="pair"))
    source = PairLines(file, Origin(path.name, (path,), scratch, notes))
    if not refused and given.id_key is None:
        return source
    return ReceivedPairs(source, refused, given.id_key, note=given.note)


def _open_one(path: Found, scratch: Scratch, rules: ReadRules) -> PairSource:
    if isinstance(path, ListedObjects):
        return _open_trees(*side_prefixes(path), scratch, rules)
    form = find_form(path)
    if form == "folder":
        return _open_trees(*_side_folders(path, rules), scratch, rules)
    if form == "zip":
        return _open_trees(*open_sides(path, rules.limits), scratch, rules)
    if form == "CSV":
        if path.is_relative_to(scratch.path):
            raise InputError(
                f"{path.name} in S3 is a table of files, which can be read from a folder only",
                code="input.different_formats",
                facts={"file": path.name},
                advice="give the two prefixes that hold the documents",
            )
        return open_table(path, rules)
    if form == "Parquet":
        return _open_parquet_pairs(path, scratch, rules)
    return _open_pair_lines(_lines(path, form, "expected", scratch, rules), Origin(_what(form), (path,), scratch))


def _open_trees(
    expected: Tree | ListedObjects, predicted: Tree | ListedObjects, scratch: Scratch, rules: ReadRules
) -> TreePairs:
    listing = list_trees(expected, predicted)
    left = fetch_documents(expected, listing, "expected", scratch)
    right = fetch_documents(predicted, listing, "predicted", scratch)
    return TreePairs(left, right, listing, rules, scratch=scratch)


def _open_two(expected: Found, predicted: Found, scratch: Scratch, rules: ReadRules) -> PairSource:
    if isinstance(expected, ListedObjects) or isinstance(predicted, ListedObjects):
        return _open_objects(expected, predicted, scratch, rules)
    forms = find_form(expected), find_form(predicted)
    if "JSON" in forms and not LINES.isdisjoint(forms):  # a single document on standard input is a list of one
        forms = _as_list(expected, forms[0]), _as_list(predicted, forms[1])
    if TREES.issuperset(forms):
        return _open_trees(_tree(expected, forms[0], rules), _tree(predicted, forms[1], rules), scratch, rules)
    if LINES.issuperset(forms):
        if "CSV" in forms:
            return _open_value_tables((expected, predicted), forms, scratch, rules)
        left = _lines(expected, forms[0], "expected", scratch, rules)
        right = _lines(predicted, forms[1], "predicted", scratch, rules)
        what = f"2 {_what(forms[0])}s" if forms[0] == forms[1] else " and ".join(map(_what, forms))
        paths = (*parquet_files(expected), *parquet_files(predicted))
        return _open_join(left, right, Origin(what, paths, scratch))
    if forms == ("JSON", "JSON"):
        return open_two_files(expected, predicted, rules, scratch)
    raise _cannot_match((expected, forms[0]), (predicted, forms[1]))


def _open_objects(expected: Found, predicted: Found, scratch: Scratch, rules: ReadRules) -> PairSource:
    """Open two inputs of which at least one is a prefix; the other may be a folder or a zip."""
    sides = (expected, predicted)
    forms = [None if isinstance(found, ListedObjects) else find_form(found) for found in sides]
    if not all(form is None or form in TREES for form in forms):
        names = [found.name if isinstance(found, ListedObjects) else str(found) for found in sides]
        raise _cannot_match(*((name, form or "prefix") for name, form in zip(names, forms, strict=True)))
    trees = [
        found if isinstance(found, ListedObjects) else _tree(found, form or "folder", rules)
        for found, form in zip(sides, forms, strict=True)
    ]
    return _open_trees(trees[0], trees[1], scratch, rules)


def _cannot_match(expected: tuple[str | Path, str], predicted: tuple[str | Path, str]) -> InputError:
    return InputError(
        f"Cannot match {expected[0]} ({expected[1]}) with {predicted[0]} ({predicted[1]}); "
        "give two folders or zips, two files of JSON Lines, CSV or Parquet, or two JSON files",
        code="input.different_formats",
        facts={"expected": expected[0], "predicted": predicted[0]},
    )


def _as_list(path: Path, form: Form) -> Form:
    return "list" if form == "JSON" and is_received(path) else form


def _open_value_tables(
    paths: tuple[Path, Path], forms: tuple[Form, Form], scratch: Scratch, rules: ReadRules
) -> PairSource:
    """Open one or two CSV files of values; the other input may be a file of lines."""
    tables = {
        side: open_value_table(path, rules.limits.max_bytes)
        for side, path, form in zip(SIDES, paths, forms, strict=True)
        if form == "CSV"
    }
    names = dict(zip(tables, id_columns(list(tables.values())), strict=True))
    files, notes = [], [matching_note(list(names.values()))]
    for side, path, form in zip(SIDES, paths, forms, strict=True):
        if side not in tables:
            files.append(_lines(path, form, side, scratch, rules))
            continue
        target = scratch.file(f"{side}.jsonl")
        notes.append(write_rows(tables[side], target, names[side]))
        files.append(open_lines(str(target), path.name, rules, noun="row"))
    others = [_what(form) for form in forms if form != "CSV"]
    what = " and ".join([describe_tables(list(names.values())), *others])
    return _open_join(files[0], files[1], Origin(what, paths, scratch, tuple(filter(None, notes))), names)


def _side_folders(path: Path, rules: ReadRules) -> tuple[Folder, Folder]:
    found = [next((path / name for name in side_names(side) if (path / name).is_dir()), None) for side in SIDES]
    if found[0] is None or found[1] is None:
        inside = ", ".join(sorted(entry.name for entry in path.iterdir())[:5]) or "nothing"
        raise InputError(
            f"{path} has no folders expected and predicted, and no second input was given; found {inside}",
            code="input.no_pairs",
            facts={"file": path},
        )
    return _folder(found[0], rules), _folder(found[1], rules)


def _tree(path: Path, form: Form, rules: ReadRules) -> Tree:
    return _folder(path, rules) if form == "folder" else open_zip(path, rules.limits)


def _folder(path: Path, rules: ReadRules) -> Folder:
    return Folder(str(path.absolute()), path.absolute().name, rules)


def _what(form: Form) -> str:
    return {"gzip": "compressed JSON Lines file", "list": "JSON list"}.get(form, f"{form} file")


def _lines(
    path: Path, form: Form, side: Side, scratch: Scratch, rules: ReadRules, *, of_pairs: bool = False
) -> LinesFile:
    """Return a file of lines; what has no lines yet is written out."""
    if form == "JSON Lines":
        return open_lines(str(path.absolute()), path.name, rules)
    target = scratch.file(f"{side}.jsonl")
    if form == "gzip":
        unpack_gzip(path, target, rules.limits)
    elif form == "Parquet":
        from fieldwise.readers.parquet import write_documents  # its library loads slowly, and few need it

        write_documents(parquet_files(path), target, side, rules.limits, of_pairs=of_pairs)
    else:
        write_items(path, target)
    noun = {"gzip": "line", "Parquet": "row"}.get(form, "item")
    return open_lines(str(target), path.name, rules, noun=noun)


def _open_pair_lines(file: LinesFile, origin: Origin) -> PairLines:
    if is_blank(file):
        raise InputError(
            f"{file.name} is empty; expected pairs of documents", code="input.empty", facts={"file": file.name}
        )
    file, notes = with_pairs(file)
    if not any(file.layout.openings):
        raise InputError(
            f"{file.name} holds no pairs: its first lines have no key 'expected' or 'predicted'; "
            "give the predicted documents as a second input",
            code="input.no_pairs",
            facts={"file": file.name},
        )
    return PairLines(file, replace(origin, notes=notes))


def _open_join(
    left: LinesFile, right: LinesFile, origin: Origin, columns: Mapping[Side, str | None] | None = None
) -> LinesJoin:
    """Match by id where both files have ids; a blank file has whatever the other one has.

    ``columns`` are those of tables in which the ids are, None where a table has none.
    """
    blank = is_blank(left), is_blank(right)
    if all(blank):
        raise InputError(
            f"No documents in {left.name} and {right.name}: both are empty",
            code="input.no_documents",
            facts={"files": [left.name, right.name]},
        )
    looks = look_at_lines(left), look_at_lines(right)
    shared = shared_id_key(*looks)
    keys = [(columns or {}).get(side, key) for side, key in zip(SIDES, shared, strict=True)]
    if any(blank):
        keys = [keys[blank.index(False)]] * 2
    decided = decide(looks)
    layout = Layout(openings=(decided.expected, decided.predicted))
    left, right = (
        with_ids(replace(file, side=side, layout=layout), key if all(keys) else None)
        for file, side, key in zip((left, right), SIDES, keys, strict=True)
    )
    notes = id_notes((left.name, right.name), looks, keys, is_table=columns is not None)
    return LinesJoin((left, right), replace(origin, notes=(*origin.notes, *notes, *decided.notes)))


def _open_parquet_pairs(path: Path, scratch: Scratch, rules: ReadRules) -> LinesJoin:
    from fieldwise.readers.parquet import require_pairs  # its library loads slowly, and few need it

    files = parquet_files(path)
    require_pairs(files)
    left, right = (_lines(path, "Parquet", side, scratch, rules, of_pairs=True) for side in SIDES)
    return _open_join(left, right, Origin(_what("Parquet"), tuple(files), scratch))
