"""Without settings, a value that is written otherwise is right, and one that is another value is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from fieldwise import evaluate_pairs
from fieldwise.cli import cli
from fieldwise.values import Json

Cases = list[tuple[Json, list[Json], list[Json]]]
"""An expected value, how else it can be written, and values that are others."""

COLUMNS: dict[str, Cases] = {
    "total": [
        ("$1,234.50", [1234.5, "1234.50", "USD 1,234.5", "US$1,234.50", "1.234,50"], ["$1,234.51", "€1,234.50"]),
        ("$20.00", ["20 dollars", "20", 20], ["-20.00", "$2O.00", "200.00", None]),
        ("$1,500", ["1500.00"], ["15,000", "1.5"]),
        ("$2,468.10", ["2,468.10.", "2,468. 10", "2.46810e+03"], ["24,68.10", "2,468.1O", "2,468.1O $"]),
    ],
    "rounding": [("-RM0.02", ["RM-0.02", "-0.02", "(RM0.02)"], ["RM0.02"]), ("-Rp 500", ["Rp -500", -500], ["500"])],
    "balance": [("5.00 CR", ["5.00CR", "$5.00 CR"], ["5.00 DR", "5.00"]), ("7.10 CR", ["7.1 cr"], ["1.70 CR"])],
    "swiss_total": [("CHF 1’034.50", ["1'034.50", "1034.5"], ["CHF 1’043.50"]), ("CHF 99.00", ["Fr. 99"], ["EUR 99"])],
    "net_amount": [("(5.00)", ["-5.00", "-5"], ["5.00"]), ("-$3.00", ["$-3.00", "($3.00)"], ["3.00"])],
    "betrag": [
        ("1.234,50 €", ["1234.50", "1.234,50", "1,234.50", "1 234,50"], ["1.234,05 €", "1,23450"]),
        ("12.000 €", ["12000", "12.000,00"], ["12", "12,00 €"]),
        ("3,20 €", ["3.20 EUR", 3.2], ["3,20 $", "32,0 €"]),
        ("5,- €", ["5.00", "5"], ["50"]),
    ],
    "montant": [("10 000,00 €", ["10.000,00", 10000], ["1 000,00"]), ("99,99 €", ["99.99"], ["99,98"])],
    "сумма": [("5 000,00 руб", ["5000", "5000,00 ₽"], ["500"]), ("99,00 ₽", ["99"], ["98,00 ₽"])],
    "harga": [
        ("12.000", ["12,000", "12000", 12000, "Rp 12.000", "Rp12.000,-"], ["12", "1.200", "12.001"]),
        ("45,500", ["45.500", "45500"], ["45.5"]),
        ("1.250.000", ["1,250,000", 1250000], ["1.250", "125.000"]),
    ],
    "price": [(12000, ["12.000", "12,000"], ["12", "1.200"]), (9500, ["Rp. 9.500"], ["95.00"]), (800, ["800"], ["80"])],
    "unitprice": [
        ("@18.000", ["18.000", "18,000"], ["18"]),
        ("7.500", ["@7.500", "7500"], ["75.00"]),
        ("20.000", ["20,000"], ["20"]),
    ],
    "cnt": [("2", ["2x", "2 X", 2, "2.00", "x2"], ["3", "22"]), ("1 x", ["1", "1x"], ["7"]), ("X 3", ["3"], ["x2"])],
    "tax": [("6.00", ["6"], ["60"]), ("-", ["-", "0"], ["6.00"]), ("9.50", ["9,50"], ["9.05"])],
    "currency": [("EUR", ["€", "euro", "eur"], ["USD", "$"]), ("USD", ["US$", "$"], ["CAD", "€"])],
    "金額": [("¥1,200", ["1200円", "￥１，２００", 1200], ["¥1,201"]), ("3,400円", ["3400"], ["340円", "3,400元"])],
    "fee": [("₹500", ["Rs 500/-", "INR 500"], ["Rs 5000/-", "$500"]), ("₹1,23,456.00", [123456], ["₹1,23,457.00"])],
    "datum": [
        ("4. März 2024", ["2024-03-04", "04.03.2024", "4 March 2024"], ["5. März 2024", "2024-04-03"]),
        ("1. Dez. 2022", ["1. Dezember 2022", "2022-12-01"], ["1. Okt. 2022"]),
    ],
    "quand": [
        ("1er août 2023", ["2023-08-01"], ["2 août 2023"]),
        ("14 février 2024", ["14/02/2024"], ["14 mars 2024"]),
    ],
    "fecha": [("4 de marzo de 2024", ["2024-03-04"], ["4 de mayo de 2024", "4 de marzo de 2023"])],
    "когда": [("5 мая 2023 г.", ["05.05.2023", "5 мая 2023"], ["5 марта 2023"])],
    "日付": [("2024年3月4日", ["2024-03-04", "2024年03月04日", "２０２４/３/４"], ["2024年3月5日"])],
    "التاريخ": [("٢٠٢٤/٠٣/٠٤", ["2024/03/04"], ["2024/03/05"])],
    "invoice_date": [("20240304", ["04-03-2024", "2024-03-04", "4 Mar 2024"], ["2024-03-05", "04.04.2024"])],
    "period": [
        ("2024-01-01 to 2024-01-31", ["2024-01-01–2024-01-31", "2024-01-01/2024-01-31"], ["2024-01-01/2024-01-30"])
    ],
    "inches": [("1.5 in", ["1½ in", "1.50 in"], ["1¼ in", "15 in"]), ("0.5 in", ["½ in", ".5 in"], ["5 in"])],
    "statement_period": [
        ("1 Jan 2024 - 31 Jan 2024", ["1 Jan 2024 through 31 Jan 2024"], ["1 Jan 2024 through 30 Jan 2024"])
    ],
    "dob": [
        ("13/05/75", ["13/05/1975", "13 May 1975", "1975-05-13"], ["13/05/1985", "13/06/1975", "13/05/1957"]),
        ("28/02/1999", ["28/02/99", "28.2.99"], ["28/02/89"]),
    ],
    "end_date": [
        ("Mar 2005", ["March 2005", "2005-03", "03/2005"], ["May 2005", "Present"]),
        ("Present", ["present", "PRESENT"], ["2005-03"]),
        ("Present", [], ["Mar 2024"]),
    ],
    "number_of_shares": [("1000", ["1,000", 1000, "1000.0"], ["10,00", "1001"]), ("250000", ["250,000"], ["25,000"])],
    "dimensions": [("21 x 36 cm", ["21×36cm", "21x36 cm"], ["36 x 21 cm", "21 x 36 mm"])],
    "part_no": [("M8×20", ["m8x20", "M8 x 20"], ["M8x25"])],
    "worked": [("Jan 2002 - Jun 2003", ["January 2002 to June 2003"], ["Jan 2002 - Jul 2003", "Jun 2002 - Jan 2003"])],
    "years": [("1996-2001", ["1996 – 2001", "1996 to 2001"], ["1996-2002", "1996", "2001-1996"])],
    "employment": [("Jan 2002 - Present", ["JAN 2002 – PRESENT"], ["Jun 2002 - Present", "Jan 2003 - Present"])],
    "time": [("10:30", ["10:30 AM", "10:30:00", "10h30"], ["10:31", "10:30 pm"]), ("9:00", ["09:00"], ["19:00"])],
    "departure": [("7:15 pm", ["19:15", "7:15 p.m."], ["7:15 am", "7:51 pm"])],
    "kennzeichen": [("M-XY 99", ["m-xy99"], ["M-XV 99", "M XY 99"]), ("B-AB 123", ["B-AB 123"], ["B-A8 123"])],
    "telefon": [("+49 30 1234567", ["0049 30 1234567", "+49 (0)30 1234567"], ["+49 30 1234568"])],
    "paid": [(True, ["true", "TRUE"], [False, "false", "no"]), (False, ["False"], [True, "true", "yes"])],
    "note": [("< 5", ["<5"], ["> 5", "5"]), ("李 明", ["李明"], ["李 华"])],
    "temperature": [("20°C", ["20 °C", "20 C", "20℃"], ["20°F", "-20°C", "21°C"])],
    "得分": [("84分", ["84", 84, "84 分"], ["48分", "85"])],
    "term": [("2_years", ["2 years", "2 YEARS"], ["3 years", "2 months"])],
    "party": [("Ali_Baba_Inc.", ["Ali Baba Inc.", "ALI BABA INC"], ["Alpha_Beta_Inc.", "Sinbad Inc."])],
    "clause": [
        (
            "The tenant is not liable for damages",
            ["the tenant isn't liable for damages"],
            ["The tenant is liable for damages"],
        ),
        (
            "Notice of sixty days is required",
            ["notice of sixty days is required."],
            ["Notice of ninety days is required"],
        ),
    ],
    "finding": [
        ("Essential hypertension", ["ESSENTIAL HYPERTENSION."], ["Essential hypotension"]),
        ("Asymptomatic", ["asymptomatic"], ["Symptomatic"]),
    ],
    "fee_terms": [("$500 per month", ["US$500 per month", "$500 per month."], ["€500 per month", "$500 per week"])],
    "security": [("Class A Common Stock", ["CLASS A COMMON STOCK"], ["Class B Common Stock"])],
    "website": [("www.a.example", ["https://www.A.example/", "a.example"], ["www.b.example", "www.a.example/x"])],
    "title": [
        ("CO₂ emission", ["CO2 emission", "CO2-Emission"], ["CO₃ emission"]),
        ("Fe²⁺ solution used", ["Fe2+ solution used"], ["Fe³⁺ solution used"]),
        ("area of 5 m²", ["area of 5 m2"], ["area of 5 m³"]),
        ("H₂O level in blood", ["H2O level in blood."], ["H₃O level in blood"]),
        ("PBJ131 in tissue", ["PBJ¹³¹ in tissue"], ["PBJ¹³² in tissue"]),
        ("C vitamin tablets", ["C Vitamin tablets"], ["D vitamin tablets"]),
        ("Schwarz", ["SCHWARZ"], ["Schwartz"]),
        ("+ Zulagen", ["+ Zulagen /"], ["Zulagen und mehr"]),
        ("range <5>", ["range (5)"], ["range <6>"]),
    ],
    "customer": [
        ("Müller GmbH", ["Mueller GmbH", "Muller GmbH", "MÜLLER GMBH"], ["Möller GmbH", "Miller GmbH"]),
        ("Gießen Logistik", ["Giessen Logistik"], ["Gessen Logistik"]),
        ("Buyn, Ima", ["Ima Buyn"], ["Ima Byun"]),
        ("C W G Eduard", ["C. W. G. Eduard", "CWG Eduard"], ["C. W. Eduard", "D W G Eduard"]),
        ("SEGI CASH & CARRY", ["Segi Cash and Carry"], ["Spai Cash & Carry"]),
        ("J Smith Holdings", ["J. Smith Holdings"], ["K Smith Holdings"]),
        ("Giovanni", [], ["Giovanna"]),
    ],
    "place": [
        ("N Main Street 5", ["N. Main Street 5"], ["S Main Street 5"]),
        ("London E. C. 2.", ["London E.C. 2"], ["London W.C. 2"]),
        ("W Madison Avenue, Chicago", ["Chicago, W. Madison Avenue"], ["E Madison Avenue, Chicago"]),
    ],
    "formula": [("CO", [], ["Co", "CO2"]), ("LaBa2Cu2CoO7.35", ["LaBa₂Cu₂CoO₇.₃₅"], ["RBa2Cu2CoO7.35"])],
    "abstract": [
        (
            "We read documents and compare fields one by one, as in https://a.example/RAG/1.",
            [
                "We read documents and compare fields one by one, as in this.",
                "we read documents, compare fields one by one, as in that",
            ],
            ["We read no documents and compare fields one by one, as in https://a.example/RAG/1."],
        )
    ],
    "dose": [("2 x 5 mg", ["2x5 mg", "2 x 5mg"], ["5 x 2 mg", "25 mg", "2 x 5 g"])],
    "address": [("12, JALAN TAMPOI 7/4, JOHOR", ["12,JALAN TAMPOI 7/4,JOHOR."], ["21, JALAN TAMPOI 7/4, JOHOR"])],
    "street": [("12 Main St, Apt 4A", ["12 MAIN ST APT 4A"], ["12 Main St, Apt 4", "12 Main St, Apt 4B"])],
}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_value_written_otherwise_is_right_and_another_value_is_wrong(name: str, tmp_path: Path) -> None:
    """Each verdict that `show` lists of a run without settings is what a reader would say."""
    pairs = [(expected, given, True) for expected, alike, _ in COLUMNS[name] for given in (expected, *alike)]
    pairs += [(expected, given, False) for expected, _, others in COLUMNS[name] for given in others]
    expected = {f"d{at:03}": {name: pair[0]} for at, pair in enumerate(pairs)}
    predicted = {f"d{at:03}": {name: pair[1]} for at, pair in enumerate(pairs)}
    for side, documents in (("expected", expected), ("predicted", predicted)):
        (tmp_path / side).mkdir()
        for key, document in documents.items():
            (tmp_path / side / f"{key}.json").write_text(json.dumps(document, ensure_ascii=False), "utf-8")
    folders = [str(tmp_path / "expected"), str(tmp_path / "predicted")]
    run = CliRunner().invoke(cli, ["evaluate", *folders, "--out", str(tmp_path / "results"), "--quiet"])
    assert run.exit_code == 0, run.output
    shown = CliRunner().invoke(cli, ["show", str(tmp_path / "results"), "--json", "--limit", "0"])
    found = {row["document"]: row["outcome"] == "match" for row in json.loads(shown.stdout)}
    assert [(*pairs[int(key[1:])], found[key]) for key in sorted(found)] == [(*pair, pair[2]) for pair in pairs]
    assert evaluate_pairs(expected, predicted=predicted).metrics.aggregate.tp == sum(pair[2] for pair in pairs)
