"""Text for files and terminals: what every file can hold, and CSV that no spreadsheet runs.

Half of a surrogate pair, which no file can hold, is written as its escape (``\\ud800``) wherever text leaves or enters.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any
from unicodedata import normalize

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_HALF_PAIR = re.compile("[\ud800-\udfff]|\\\\u[dD][89a-fA-F]")
_STEERING = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Control characters that JSON does not ask to be escaped, and signs that turn the direction of what follows."""
_TERMINAL = {
    **{code: 0x2400 + code for code in range(0x20) if chr(code) not in "\n\t"},
    0x7F: 0x2421,
    **dict.fromkeys([*range(0x80, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)], 0xFFFD),
}
"""Characters that tell a terminal what to do, or turn the direction of writing, and what is printed for them."""
_MARKS = re.compile("[\u0300-\u036f]")
"""Accents, where they stand alone behind their letters."""
_NUMBERED = re.compile("([^0-9]*)([0-9]*)")
_FORMULA = ("=", "+", "-", "@")
_SHORT = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}

# Characters that a browser changes, hides or lets reorder what stands around them, and lone surrogates, which no file
# can hold. Tab and line feed are kept as they are, and so are the joiners of emoji and of Persian words.
UNSEEN = re.compile(
    "([\x00-\x08\x0b-\x1f\x7f-\xa0\xad\u061c\u200b\u200e\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufffe\uffff\ud800-\udfff])"
)

_NAMES = {0x00: "NUL", 0x07: "BEL", 0x08: "BS", 0x0B: "VT", 0x0C: "FF", 0x0D: "CR", 0x1B: "ESC", 0x7F: "DEL"}
_NAMES |= {0xA0: "NBSP", 0xAD: "SHY", 0x200B: "ZWSP", 0x200E: "LRM", 0x200F: "RLM", 0x202F: "NNBSP", 0xFEFF: "BOM"}
_NAMES |= {0x202A: "LRE", 0x202B: "RLE", 0x202C: "PDF", 0x202D: "LRO", 0x202E: "RLO"}


def well_formed(text: str) -> str:
    r"""Return text that every file can hold: half of a surrogate pair becomes its escape.

    >>> well_formed("a\ud800b"), well_formed("é")
    ('a\\ud800b', 'é')
    """
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def one_line(text: str) -> str:
    """Return text on one line, with characters that are not printed written as codes.

    >>> one_line("a\\nb\\x00"), one_line("Müller")
    ('a⏎b\\\\x00', 'Müller')
    """
    return "".join(c if c.isprintable() else "⏎" if c == "\n" else f"\\x{ord(c):02x}" for c in well_formed(text))


def fixed(value: float | None, decimals: int) -> str:
    """Write a number with a number of decimals, as scikit-learn does; a dash for what is undefined.

    >>> fixed(0.9999, 2), fixed(None, 2)
    ('1.00', '–')
    """
    return "–" if value is None or not math.isfinite(value) else f"{value:.{decimals}f}"


def seen(text: str) -> str:
    """Return text in which characters that would not be seen are named.

    >>> seen("a" + chr(0) + "b")
    'a[NUL]b'
    """
    return UNSEEN.sub(lambda found: f"[{unseen_name(found[0])}]", text)


def unseen_name(character: str) -> str:
    """Return what a character that is not seen is called."""
    return _NAMES.get(ord(character), f"U+{ord(character):04X}")


def natural(text: str) -> tuple[list[tuple[str, int, str]], str]:
    """Return by what ids and paths are sorted: numbers within them count as such, accents and letter case come last.

    The page sorts the same (``web/src/data/order.ts``), whatever the language of its reader.

    >>> sorted(["d10", "é1", "D9", "e1", "d9"], key=natural)
    ['D9', 'd9', 'd10', 'e1', 'é1']
    """
    plain = (text if text.isascii() else _MARKS.sub("", normalize("NFD", text))).lower()
    parts = ((words, number.lstrip("0")) for words, number in _NUMBERED.findall(plain))
    return [(words, len(number), number) for words, number in parts], text


def cut(text: str, length: int) -> str:
    """Return text of at most so many characters; what was longer ends in an ellipsis.

    >>> cut("abcdef", 4), cut("abcd", 4)
    ('abc…', 'abcd')
    """
    return text if len(text) <= length else f"{text[: length - 1]}…"


def terminal_safe(text: str) -> str:
    """Return text that only shows, whatever documents and names hold.

    >>> terminal_safe("\x1b[31mred")
    '␛[31mred'
    """
    return text if text.isprintable() else well_formed(text).translate(_TERMINAL)


def escaped(found: re.Match[str]) -> str:
    """Return a character that was found as JSON escapes it."""
    return f"\\u{ord(found[0]):04x}"


def has_half_pair(text: str) -> bool:
    """Tell whether a JSON text may hold half of a surrogate pair, as itself or as an escape."""
    return _HALF_PAIR.search(text) is not None


def without_steering(text: str) -> str:
    """Return a JSON text in which what a terminal may obey is escaped: control characters, marks of direction."""
    return _STEERING.sub(escaped, text)


def json_text(value: Any) -> str:
    r"""Return a value of a few levels as JSON that every parser takes and no terminal obeys.

    >>> json_text({"a": "\x9b\ud800"})
    '{"a": "\\u009b\\\\ud800"}'
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    if has_half_pair(text):
        text = json.dumps(_well_formed_parts(value), ensure_ascii=False, allow_nan=False)
    return without_steering(text)


def _well_formed_parts(value: Any) -> Any:
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, dict):
        return {well_formed(key): _well_formed_parts(item) for key, item in value.items()}
    return [_well_formed_parts(item) for item in value] if isinstance(value, list | tuple) else value


def csv_line(cells: Iterable[str | float | None]) -> str:
    r"""Return a row of CSV: numbers as they are, None as an empty cell, everything else between quotes on one line.

    A text that a spreadsheet would take for a formula begins with an apostrophe.

    >>> csv_line(["=1+1", "a\r\"b", 0.5, None])
    '"\'=1+1","a\\r""b",0.5,\n'
    """
    return ",".join(map(_cell, cells)) + "\n"


def _cell(cell: str | float | None) -> str:
    if cell is None or (isinstance(cell, float) and not math.isfinite(cell)):
        return ""
    if isinstance(cell, int | float) and not isinstance(cell, bool):
        return str(cell)
    text = _CONTROL.sub(_visible, well_formed(str(cell))).replace('"', '""')
    return f'"\'{text}"' if text.startswith(_FORMULA) else f'"{text}"'


def _visible(found: re.Match[str]) -> str:
    return _SHORT.get(found[0]) or escaped(found)


def csv_text(header: Sequence[str], rows: Iterable[Iterable[str | float | None]]) -> str:
    """Return a table as CSV."""
    return "".join(map(csv_line, (header, *rows)))


def percentage(text: str) -> float | None:
    """Read a share that is written as a percentage; None for any other text.

    >>> percentage("2.5%"), percentage("5 %"), percentage("0.05"), percentage("five%")
    (0.025, 0.05, None, None)
    """
    number, sign, rest = text.strip().partition("%")
    try:
        share = float(number) / 100
    except ValueError:
        return None
    return share if sign and not rest and math.isfinite(share) else None


def size_text(size: int) -> str:
    """Return a size for people.

    >>> [size_text(n) for n in (1, 999, 1200, 12_500_000)]
    ['1 byte', '999 bytes', '1.2 kB', '12.5 MB']
    """
    if size < 1000:
        return f"{size} byte{'' if size == 1 else 's'}"
    units = ["kB", "MB", "GB", "TB"]
    scaled = size / 1000
    while scaled >= 1000 and len(units) > 1:
        scaled /= 1000
        units.pop(0)
    return f"{scaled:.1f} {units[0]}"


_MARKS = re.compile(r"([\\`*\[\]|])")


def markdown_safe(text: str) -> str:
    """Return text in which nothing is Markdown or HTML, on one line.

    >>> print(markdown_safe("a|b <b>*x*</b>"))
    a\\|b &lt;b&gt;\\*x\\*&lt;/b&gt;
    """
    return _MARKS.sub(r"\\\1", " ".join(escape(without_steering(text), quote=False).splitlines()))
