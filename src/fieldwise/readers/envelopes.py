"""Documents from bytes: what stands around one, such as an id, alternates or metadata, and a code fence or a text.

Every name that is guessed is in the tables here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from fieldwise.errors import InputError, quoted
from fieldwise.readers.about import ABOUT_KEYS, About, about_of, same_class
from fieldwise.readers.files import NotRegularError, read_file, too_large
from fieldwise.readers.json_text import MAX_DEPTH, parse_json, refuse_duplicates
from fieldwise.readers.source import FromText, Missing, Pair, ReadRules, Section, Sections, Unreadable, unreadable
from fieldwise.values import Json

Side = Literal["expected", "predicted"]
SIDES: Final[tuple[Side, Side]] = ("expected", "predicted")

ID_KEYS: Final = ("id", "doc_id", "document_id", "documentId", "_id")
SIDE_KEYS: Final[Mapping[Side, tuple[str, ...]]] = {
    "expected": ("expected", "ground_truth", "groundTruth", "truth", "gold", "label", "reference", "target"),
    "predicted": ("predicted", "prediction", "pred", "output", "extracted"),
}
INNER: Final = "inference_result"
WRAPPERS: Final = ("document", INNER, *SIDE_KEYS["expected"], *SIDE_KEYS["predicted"])
"""The keys under which a document may be."""
SAID: Final = frozenset({"document_class", "split_document"})
_TAKEN: Final = ("alternates", "metadata", *ABOUT_KEYS)
_BESIDE: Final = (*_TAKEN, "section_id", "source", "file", "filename", "path", "split")
WORDS: Final = frozenset({*ID_KEYS, *_BESIDE, *WRAPPERS})
"""What an envelope has beside its document, or around it; any other key is data."""
Opening = tuple[str, ...]
"""The keys that lead to the documents of a side, decided for all of them; none where a document is what is read."""
_FENCE: Final = b"```"
_ONLY: Final = "1"
_NAME: Final = "the text of the prediction"
_LANGUAGE: Final = re.compile(rb"[A-Za-z0-9_+-]*[ \t]*\r?\n?")


class Document(NamedTuple):
    """One side of a pair, and what stood beside it."""

    content: Json | Unreadable | Missing
    rich: bool = False
    alternates: Mapping[str, Sequence[Json]] | None = None
    metadata: Mapping[str, Json] | None = None
    about: About | None = None


def first_key(value: Mapping[str, Json], keys: Iterable[str]) -> str | None:
    """Return the first of the keys that the value has.

    >>> first_key({"truth": {}, "pred": {}}, SIDE_KEYS["expected"])
    'truth'
    """
    return next((key for key in keys if key in value), None)


def id_text(value: Json) -> str | None:
    """Return an id as text, or None where the value is no id: only texts and numbers are.

    A whole number is one id as an integer and as a float.

    >>> [id_text(v) for v in ("a", 17, 17.0, "", None, True, ["a"])]
    ['a', '17', '17', None, None, None, None]
    """
    if type(value) is str:
        return one_form(value.encode("utf-8", "backslashreplace").decode()) or None
    if type(value) is float and value.is_integer():
        value = int(value)
    return str(value) if type(value) in (int, float) else None


def one_form(name: str) -> str:
    """Return a name in the one form of Unicode (NFC) in which names are the same, however their accents are written."""
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def is_one_form(name: str) -> bool:
    """Tell whether a name is written in the one form in which names are the same."""
    return name.isascii() or unicodedata.is_normalized("NFC", name)


def find_id_key(value: Json) -> str | None:
    """Return the key under which an envelope or a document has its id."""
    if type(value) is not dict:
        return None
    return next((key for key in ID_KEYS if id_text(value.get(key)) is not None), None)


def open_document(value: Json, opening: Opening, side: Side, *, rich: bool) -> Document:
    """Take a document out of what is around it, with the alternates, metadata and more that stand beside it.

    Alternates of a wrong shape make a document unreadable, and so does a key that others have and it lacks. What names
    the class and the pages of a document, and has none, has a null one.

    >>> open_document({"id": 7, "document": {"total": 5}}, ("document",), "expected", rich=False).content
    {'total': 5}
    >>> open_document({"id": 7, "error": "timeout"}, ("document",), "predicted", rich=False).content.reason
    "there is no 'document', under which the other predicted documents are"
    """
    beside: dict[str, Json] = {}
    for key in opening:
        if type(value) is not dict:
            break
        beside = {k: value[k] for k in _TAKEN if k in value} | beside
        value = value[key] if key in value else _no_document(value, key, side)
    alternates, metadata = beside.get("alternates"), beside.get("metadata")
    if not (alternates is None or _are_alternates(alternates)):
        wrong = Unreadable("alternates are not an object of lists, {path: [values]}")
        value, alternates = alternates if isinstance(alternates, Unreadable) else wrong, None
    if type(value) is str:
        value, rich = _from_text(value, side), True
    about = about_of(beside) if beside else None
    return Document(value, rich, alternates, metadata if type(metadata) is dict else None, about)


def _no_document(envelope: Mapping[str, Json], key: str, side: Side) -> Unreadable | None:
    if key == INNER and all(type(envelope.get(said)) is dict for said in SAID):
        return None
    return Unreadable(f"there is no {quoted(key)}, under which the other {side} documents are")


def _from_text(text: str, side: Side) -> Json | Unreadable:
    """Return the document that a text is in JSON; a prediction that holds JSON somewhere is read when it is compared.

    Only an expected text that begins as an object must be one.
    """
    start = text.lstrip()[:1]
    if start not in ("{", "[") or (start == "{" and side == "predicted"):
        return text
    try:
        value = parse_json(text.encode("utf-8", "surrogatepass"), "the text")
    except InputError as error:
        return unreadable(error) if start == "{" else text
    return value if side == "expected" else FromText(value, "text")


def from_fence(document: Document) -> Document | None:
    """Return a document with the note that it was in a code fence, or None where the fence holds none."""
    if isinstance(document.content, Unreadable | Missing):
        return None
    return document._replace(content=FromText(document.content, "fence"))


def merged_metadata(first: Mapping[str, Json] | None, second: Mapping[str, Json] | None) -> Mapping[str, Json] | None:
    """Return the metadata of both sides; where both name a thing, what the second says."""
    return {**first, **second} if first and second else first or second


def _are_alternates(value: Json) -> bool:
    return type(value) is dict and all(type(values) is list for values in value.values())


def inside_fence(content: bytes) -> bytes | None:
    """Return what is between the first code fence and the last one, or None without a fence.

    Text before and after the fence is left out; a fence that is not closed reaches to the end.

    >>> inside_fence(b'Here it is: ```json {"total": 5} ``` Anything else?')
    b'{"total": 5} '
    """
    start = content.find(_FENCE)
    if start < 0:
        return None
    end = content.rfind(_FENCE)
    body = content[start + len(_FENCE) : end if end > start else None]
    return _LANGUAGE.sub(b"", body, count=1)


def may_hold_json(text: str) -> bool:
    """Tell whether a text looks like a JSON object or a code fence.

    >>> [may_hold_json(text) for text in (' {"total": 5}', "Sure! ```json", "Acme Ltd")]
    [True, True, False]
    """
    return text.lstrip().startswith("{") or _FENCE.decode() in text


def read_text(text: str, max_depth: int = MAX_DEPTH) -> FromText | Unreadable:
    """Return the document that a predicted text holds, or why it holds none."""
    content = text.encode("utf-8", "surrogatepass")
    try:
        return FromText(parse_json(content, _NAME, max_depth), "text")
    except InputError as error:
        body = inside_fence(content)
        if body is None:
            return unreadable(error)
    try:
        return FromText(parse_json(body, f"{_NAME}, inside its code fence,", max_depth), "fence")
    except InputError as error:
        return unreadable(error)


def read_bytes(path: str, name: str, rules: ReadRules, root: str | None) -> bytes | Unreadable:
    """Return the content of a file, or why it cannot be read; one outside of ``root`` is read only where asked for."""
    limit = rules.limits.max_bytes
    try:
        content = read_file(path, limit, root=None if rules.follow_symlinks else root)
    except NotRegularError as error:
        return Unreadable(f"{name} is {error}")
    except (OSError, ValueError) as error:
        return Unreadable(f"{name} cannot be read: {getattr(error, 'strerror', None) or error}")
    return Unreadable(too_large(name, limit), "max_bytes") if len(content) > limit else content


def read_document(
    content: bytes | Unreadable | Missing, name: str, side: Side, rules: ReadRules, opening: Opening = ()
) -> Document:
    """Return the document that bytes hold, without what is around it."""
    if not isinstance(content, bytes):
        return Document(content)
    try:
        value = parse_json(content, name, rules.limits.max_depth)
    except InputError as error:
        body = inside_fence(content) if side == "predicted" else None
        fenced = None if body is None else from_fence(read_document(body, name, side, rules, opening))
        return fenced or Document(unreadable(error))
    refused = refuse_duplicates(content, name) if rules.strict else None
    return Document(refused) if refused else open_document(value, opening, side, rich=may_be_rich(content))


def make_pair(name: str, expected: Document, predicted: Document) -> Pair:
    """Put both sides together. Where they name different classes, they are two sections that have nothing in common."""
    metadata = merged_metadata(expected.metadata, predicted.metadata)
    rich = expected.rich or predicted.rich
    pair = Pair(name, expected.content, predicted.content, rich, expected.alternates, metadata)
    if expected.about is None and predicted.about is None:
        return pair
    known, guessed = expected.about or About(), predicted.about or About()
    is_read = not any(isinstance(side.content, Unreadable | Missing) for side in (expected, predicted))
    if is_read and not same_class(known.document_class, guessed.document_class):
        alone = Sections((section_of(_ONLY, expected),), (section_of(_ONLY, predicted),))
        return pair._replace(rich=True, document_class=known.document_class, sections=alone)
    return pair._replace(
        rich=rich or guessed.confidences is not None,
        document_class=known.document_class,
        confidences=guessed.confidences,
    )


def section_of(name: str, document: Document) -> Section:
    """Return a document as a section of another."""
    about, content = document.about or About(), document.content
    assert not isinstance(content, Missing)
    return Section(
        name,
        content,
        about.document_class,
        about.pages,
        document.rich,
        document.alternates,
        about.confidences,
        about.wrong_pages,
    )


def may_be_rich(content: bytes) -> bool:
    """Tell whether there may be a rich value: a key ``_value``, or ``value`` beside ``confidence``.

    An escape could hide the name of a key.
    """
    named = b'value"' in content and (b"_value" in content or b"confidence" in content)
    return named or (b"\\" in content and b"\\u" in content)
