"""Units: which words and signs stand for one and the same, and which words are units at all."""

from __future__ import annotations

CURRENCIES = {
    "€": "eur",
    "euro": "eur",
    "euros": "eur",
    "$": "usd",
    "us$": "usd",
    "£": "gbp",
    "¥": "jpy",
    "₹": "inr",
    "fr": "chf",
    "sfr": "chf",
}
"""Other ways to write the code of a currency."""
SIGNS = {**CURRENCIES, "percent": "%", "pct": "%"}
"""Other ways to write a unit."""
_WORDS = (
    "% ‰ eur usd gbp chf jpy inr cny cad aud sek nok dkk pln czk huf brl mxn ct cent cents p"
    " t kg g mg µg μg lb lbs oz km m cm mm in ft l dl cl ml m² m2 m³ m3 h hrs hours hour min s d days day"
    " w kw mw wh kwh mwh v a ma hz khz mhz ghz kb mb gb tb °c °f k pcs pc piece pieces stk st ea x"
    " iu mmol mol bar kpa hpa"
)
UNITS = frozenset(_WORDS.split())
