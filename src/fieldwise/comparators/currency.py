"""The comparator of currencies: a sign, an ISO 4217 code or a name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import ClassVar, TypeAlias

from fieldwise.comparators.as_text import PLAIN_FORMS, folded, text_of
from fieldwise.comparators.base import ReadComparator
from fieldwise.values import Json, same

_TABLE = """
AED UAE dirham, United Arab Emirates dirham: د.إ, Dh, Dhs
AFN afghani, Afghan afghani: ؋, Af
ALL lek, Albanian lek: L
AMD dram, Armenian dram: ֏
ANG Netherlands Antillean guilder: ƒ
AOA kwanza, Angolan kwanza: Kz
ARS Argentine peso: $, AR$
ATS Austrian schilling: öS
AUD Australian dollar: $, A$, AU$
AWG Aruban florin: ƒ, Afl
AZN Azerbaijani manat: ₼
BAM convertible mark, Bosnia and Herzegovina convertible mark: KM
BBD Barbadian dollar, Barbados dollar: $, Bds$
BDT taka, Bangladeshi taka: ৳, Tk
BEF Belgian franc: Fr, BF
BGN lev, Bulgarian lev, leva: лв
BHD Bahraini dinar: BD
BIF Burundian franc, Burundi franc: FBu
BMD Bermudian dollar: $, BD$
BND Brunei dollar: $, B$
BOB boliviano, Bolivian boliviano: Bs
BRL real, Brazilian real, reais: R$
BSD Bahamian dollar: $, B$
BTN ngultrum, Bhutanese ngultrum: Nu
BWP pula, Botswana pula: P
BYN Belarusian ruble: Br, Rbl
BZD Belize dollar: $, BZ$
CAD Canadian dollar: $, C$, CA$, Can$
CDF Congolese franc: FC
CHF Swiss franc: Fr, SFr, Fs
CLP Chilean peso: $, CL$
CNY yuan, Chinese yuan, renminbi, Chinese renminbi, yuan renminbi, RMB: ¥, CN¥, 元, 人民币
COP Colombian peso: $, COL$
CRC Costa Rican colon, Costa Rican colón: ₡
CUP Cuban peso: $, ₱
CVE Cape Verdean escudo, Cabo Verde escudo: $, Esc
CZK Czech koruna: Kč
DEM Deutsche Mark, German mark: DM
DJF Djiboutian franc: Fdj
DKK Danish krone, Danish kroner: kr, Dkr
DOP Dominican peso: $, RD$
DZD Algerian dinar: DA, د.ج
EGP Egyptian pound: £, E£, LE, ج.م
ERN nakfa, Eritrean nakfa: Nfk
ESP Spanish peseta: Pta, Pts
ETB birr, Ethiopian birr: Br
EUR euro: €
FIM Finnish markka: mk
FJD Fijian dollar, Fiji dollar: $, FJ$
FKP Falkland Islands pound: £
FRF French franc: Fr, F, FF
GBP pound sterling, sterling, British pound, UK pound, British pound sterling: £, GB£, UK£
GEL lari, Georgian lari: ₾
GHS cedi, Ghanaian cedi, Ghana cedi: ₵, GH₵
GIP Gibraltar pound: £
GMD dalasi, Gambian dalasi: D
GNF Guinean franc: FG
GRD drachma, Greek drachma: ₯
GTQ quetzal, Guatemalan quetzal: Q
GYD Guyanese dollar, Guyana dollar: $, G$
HKD Hong Kong dollar: $, HK$
HNL lempira, Honduran lempira: L
HRK kuna, Croatian kuna: kn
HTG gourde, Haitian gourde: G
HUF forint, Hungarian forint: Ft
IDR rupiah, Indonesian rupiah: Rp
IEP Irish pound, punt: £, IR£
ILS shekel, new shekel, Israeli shekel, new Israeli shekel, Israeli new shekel: ₪, NIS
INR Indian rupee: ₹, Rs, Re
IQD Iraqi dinar: ID, ع.د
IRR Iranian rial: ﷼
ISK Icelandic króna, Icelandic krona: kr, íkr
ITL Italian lira, Italian lire: ₤, L
JMD Jamaican dollar: $, J$
JOD Jordanian dinar: JD
JPY yen, Japanese yen: ¥, JP¥, 円, 日本円
KES Kenyan shilling: KSh
KGS som, Kyrgyz som, Kyrgyzstani som: с
KHR riel, Cambodian riel: ៛
KMF Comorian franc: CF
KPW North Korean won: ₩
KRW South Korean won, Korean won: ₩, 원
KWD Kuwaiti dinar: KD, د.ك
KYD Cayman Islands dollar: $, CI$
KZT tenge, Kazakhstani tenge: ₸
LAK kip, Lao kip, Laotian kip: ₭
LBP Lebanese pound: £, LL, ل.ل
LKR Sri Lankan rupee: Rs, SLRs
LRD Liberian dollar: $, L$
LSL loti, Lesotho loti: M
LTL Lithuanian litas, litas: Lt
LUF Luxembourg franc: Fr
LVL Latvian lats, lats: Ls
LYD Libyan dinar: LD
MAD Moroccan dirham: DH
MDL Moldovan leu: L, lei
MGA ariary, Malagasy ariary: Ar
MKD Macedonian denar, denar: ден
MMK kyat, Myanmar kyat, Burmese kyat: K
MNT tugrik, Mongolian tugrik, tögrög: ₮
MOP pataca, Macanese pataca: MOP$
MRU ouguiya, Mauritanian ouguiya: UM
MUR Mauritian rupee, Mauritius rupee: Rs, ₨
MVR rufiyaa, Maldivian rufiyaa: Rf
MWK Malawian kwacha, Malawi kwacha: MK
MXN Mexican peso: $, MX$, Mex$
MYR ringgit, Malaysian ringgit: RM
MZN metical, Mozambican metical: MT
NAD Namibian dollar, Namibia dollar: $, N$
NGN naira, Nigerian naira: ₦
NIO Nicaraguan córdoba, Nicaraguan cordoba, cordoba: C$
NLG Dutch guilder, guilder: ƒ, fl
NOK Norwegian krone, Norwegian kroner: kr, Nkr
NPR Nepalese rupee: Rs, रू, ₨
NZD New Zealand dollar: $, NZ$
OMR Omani rial: R.O.
PAB balboa, Panamanian balboa: B/.
PEN sol, Peruvian sol, nuevo sol: S/, S/.
PGK kina, Papua New Guinean kina: K
PHP Philippine peso: ₱, PhP
PKR Pakistani rupee, Pakistan rupee: Rs, ₨
PLN zloty, złoty, Polish zloty, Polish złoty: zł
PTE Portuguese escudo: Esc, $
PYG guarani, guaraní, Paraguayan guarani: ₲, Gs
QAR Qatari riyal, Qatari rial: QR
RON Romanian leu: L, lei
RSD Serbian dinar: din, дин
RUB Russian ruble, Russian rouble: ₽, руб, р
RWF Rwandan franc, Rwanda franc: FRw, RF
SAR Saudi riyal, Saudi Arabian riyal: SR, ر.س
SBD Solomon Islands dollar: $, SI$
SCR Seychellois rupee, Seychelles rupee: Rs, SRe
SDG Sudanese pound: £
SEK Swedish krona, Swedish kronor: kr, Skr
SGD Singapore dollar: $, S$, SG$
SHP Saint Helena pound: £
SIT Slovenian tolar, tolar:
SKK Slovak koruna: Sk
SLE leone, Sierra Leonean leone: Le
SOS Somali shilling: Sh
SRD Surinamese dollar, Surinam dollar: $, Sr$
SSP South Sudanese pound: £
STN dobra, São Tomé and Príncipe dobra: Db
SVC Salvadoran colon, Salvadoran colón: ₡
SYP Syrian pound: £, LS
SZL lilangeni, Swazi lilangeni: E
THB baht, Thai baht: ฿, บาท
TJS somoni, Tajikistani somoni: SM
TMT Turkmenistani manat, Turkmenistan manat: m
TND Tunisian dinar: DT, د.ت
TOP paʻanga, pa'anga, Tongan paʻanga: T$
TRY Turkish lira: ₺, TL
TTD Trinidad and Tobago dollar: $, TT$
TWD New Taiwan dollar, Taiwan dollar: $, NT$, 元
TZS Tanzanian shilling: TSh
UAH hryvnia, Ukrainian hryvnia: ₴, грн
UGX Ugandan shilling, Uganda shilling: USh
USD US dollar, United States dollar, American dollar: $, US$, U$S
UYU Uruguayan peso: $, $U
UZS Uzbekistani som, Uzbekistan sum: soʻm
VED digital bolivar, Venezuelan digital bolivar: Bs
VES bolivar, bolívar, Venezuelan bolivar: Bs
VND dong, đồng, Vietnamese dong: ₫
VUV vatu, Vanuatu vatu: VT
WST tala, Samoan tala: WS$, SAT
XAF Central African CFA franc, CFA franc: FCFA, F CFA, CFA, Fr
XCD East Caribbean dollar: $, EC$
XOF West African CFA franc, CFA franc: FCFA, F CFA, CFA, Fr
XPF CFP franc: F, Fr
YER Yemeni rial: ﷼
ZAR rand, South African rand: R
ZMW Zambian kwacha: ZK, K
ZWL Zimbabwean dollar, Zimbabwe dollar: $, Z$
"""
"""A code, its names, its signs."""

_SHARED_NAMES = """
dollar pound franc peso rupee dinar krone krona króna koruna shilling rial riyal lira ruble rouble won yen escudo dirham
leu manat kwacha colon colón som mark florin kroner kronor
"""
"""Last words of names that mean every currency whose name ends in them."""
_SPLITS = re.compile(r"[\s()\[\]/,:]+")

Currencies = frozenset[str]
"""The codes of the currencies that a text may mean."""
_Reading: TypeAlias = "tuple[Currencies | str | None, Json]"
"""What a value means, and the value."""


class CurrencyComparator(ReadComparator[_Reading]):
    """Scores 1 where both texts can mean the same currency, written as sign, ISO 4217 code or English name, else 0.

    A sign or name that several currencies share, such as ``$``, ``¥``, ``kr`` or *franc*, is alike to each of them.
    Text that names no known currency is alike to the same text only.

    >>> comparator = CurrencyComparator()
    >>> [comparator.compare("$", other) for other in ("USD", "Canadian dollar", "EUR")]
    [1.0, 1.0, 0.0]
    """

    own_threshold: ClassVar[float] = 1.0
    binary: ClassVar[bool] = True
    takes: ClassVar[frozenset[str]] = frozenset({"text"})

    def _read(self, value: Json) -> _Reading:
        """Return the currencies that a text may mean, its folded text where it names none, None for no scalar."""
        text = text_of(value)
        if text is None:
            return None, value
        written = _folded(text)
        return _currencies(written) or written, value

    def _score(self, left: _Reading, right: _Reading) -> float:
        one, other = left[0], right[0]
        if isinstance(one, frozenset) and isinstance(other, frozenset):
            return float(not one.isdisjoint(other))
        if one is None or other is None:
            return float(same(left[1], right[1]))
        return float(one == other)


_MAX_LENGTH = 80


def is_currency(text: str) -> bool:
    """Return whether a text as a whole names a currency.

    >>> [is_currency(text) for text in ("EUR", "$", "US dollar (USD)", "5 EUR", "cash")]
    [True, True, True, False, False]
    """
    return _currencies(_folded(text)) is not None


def _currencies(written: str) -> Currencies | None:
    return _meant(written) if len(written) <= _MAX_LENGTH else None


@lru_cache(maxsize=4096)
def _meant(written: str) -> Currencies | None:
    """Return what a text means as a whole, or what its two parts, as in ``US dollar (USD)``, both mean."""
    known = _known()
    if written in known:
        return known[written]
    for between in _SPLITS.finditer(written):
        left = known.get(written[: between.start()])
        right = known.get(_SPLITS.sub(" ", written[between.end() :]).strip())
        if left and right and left & right:
            return left & right
    return None


@cache
def _known() -> dict[str, Currencies]:
    """Return the currencies of every code, name and sign, folded."""
    found: dict[str, set[str]] = {}
    for line in _TABLE.strip().splitlines():
        code, rest = line[:3], line[4:]
        names, _, signs = rest.partition(":")
        for word in (code, *_with_plurals(names.split(",")), *signs.split(",")):
            if word.strip():
                found.setdefault(_folded(word), set()).add(code)
    return {word: frozenset(codes) for word, codes in found.items()}


def currencies_beside(word: str) -> Currencies | None:
    """Return the currencies that a word beside a number means: a code in capitals, a sign, one of a few names.

    Other words are units or labels: 5 L is not 5 lek, and KGS are kilograms.

    >>> [bool(currencies_beside(word)) for word in ("EUR", "US$", "kr", "L", "KGS")]
    [True, True, True, False, False]
    """
    lower = word.casefold()
    if (
        word.isascii()
        and word.isalpha()
        and not (len(word) == 3 and (word.isupper() or lower not in _WORDS) and lower != "kgs")
    ):
        word = _BESIDE.get(lower, "")
    return _known().get(_folded(word)) if word else None


_NAMES_BESIDE = "rs rm kr fr sfr ft rp tl lei euro euros dollar dollars yen yuan rupee rupees"
_BESIDE = {**{name: name for name in _NAMES_BESIDE.split()}, "zl": "zł"}
_CODES_THAT_ARE_WORDS = "all ang bam bob btn cop cup dem gel kgs lak mad mop pen php ron sos std top try"
_WORDS = frozenset(_CODES_THAT_ARE_WORDS.split())
"""Codes that are words or units in lower case."""


def _with_plurals(names: Sequence[str]) -> list[str]:
    """Return names with their plurals, and the last word alone where several currencies share it."""
    last = [name.split()[-1] for name in names if name.split()[-1] in _SHARED_NAMES.split()]
    return [form for name in (*names, *last) for form in (name, f"{name}s")]


def _folded(text: str) -> str:
    """Return text in plain forms and lower case, without dots and hyphens, which some write and some don't."""
    return folded(text.translate(PLAIN_FORMS).casefold().replace(".", "").replace("-", " "))
