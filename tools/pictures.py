"""Take pictures of every page that fieldwise writes: ``python -m tools.pictures``.

The pages are those of ``make demo`` and of three small examples: packets with classes and slices, rows of labels, and
results of others that are added up. docs/pictures.md chooses the pictures that are kept beside it; ``--all FOLDER``
writes each view, light and dark, on a phone and on a desktop.
"""

from __future__ import annotations

import argparse
import io
import json
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, Literal

from PIL import Image
from playwright.sync_api import Browser
from tests.browser.studio import chromium
from tests.sections import section, write_sections

from tools.examples import ROOT, Place, demo_commands

GUIDE = ROOT / "docs" / "pictures.md"
FOLDER = ROOT / "docs" / "pictures"
README_PICTURE = ROOT / "docs" / "report.png"
README_VIEW = "run-summary-desktop-light"
WIDTHS = {"phone": 390, "desktop": 1440}
MAX_HEIGHTS = {"phone": 1400, "desktop": 1120}
"""Pixels that a kept picture has at most; of a longer page it shows the beginning."""
COLOURS = 256
"""Colours of a kept picture: enough for text and bands, and a third of the bytes."""
Scheme = Literal["light", "dark"]
SCHEMES: tuple[Scheme, ...] = ("light", "dark")

PAGES = {
    "run": "demo/baseline/report.html",
    "compare": "demo/difference.html",
    "confidences": "demo/confidences/calibration.html",
    "sweep": "demo/sweep/sweep.html",
    "packets": "packets/run/report.html",
    "classify": "labels.html",
    "aggregate": "sums/report.html",
}
"""Where the commands write each page."""
VIEWS = {
    "run-summary": "",
    "run-fields": "fields",
    "run-tree": "fields?as=tree",
    "run-errors": "errors",
    "run-accepted": "errors?set=accepted",
    "run-documents": "documents",
    "run-document": "document?id=invoice-00018",
    "run-confidence": "confidence",
    "run-threshold": "threshold?field=vendor.name",
    "run-spec": "spec",
    "compare-verdict": "verdict",
    "compare-fields": "fields",
    "compare-flips": "flips",
    "confidences-all": "",
    "confidences-field": "confidence?field=total",
    "sweep-slider": "",
    "packets-summary": "",
    "packets-fields": "fields?class=Invoice",
    "packets-classes": "classes",
    "packets-errors": "errors",
    "packets-documents": "documents",
    "packets-document": "document?id=loan-10.pdf",
    "classify-classes": "classes",
    "classify-rows": "rows",
    "classify-metrics": "metrics",
    "aggregate-summary": "",
    "aggregate-fields": "fields",
    "aggregate-errors": "errors",
    "aggregate-documents": "documents",
}
"""What is opened, by the name of its picture: the page's name, and the part of the address after ``#``."""
_COMMANDS = (
    "fieldwise sweep demo/baseline vendor.name --out demo/sweep",
    "fieldwise evaluate packets/expected packets/predicted --out packets/run --slice vendor --title 'Loan packets'",
    "fieldwise classify labels.jsonl --cluster-key document --html labels.html --title 'Choice of the next action'",
    "fieldwise aggregate results --out sums --title 'Results of March'",
)
_CLASSES = ("Invoice", "Payslip", "Tax return", "Bank statement")
_VENDORS = ("Brennan Tools", "Harbour & Finch Ltd.", "Lumen Systems")
_ACTIONS = {"click": 96, "type": 80, "scroll": 60, "wait": 30, "select": 88, "go back": 45}
"""Labels, and how many of a hundred answers to each are right."""


@dataclass(frozen=True)
class Picture:
    """One view on one device in one scheme."""

    view: str
    device: str
    scheme: Scheme

    @property
    def name(self) -> str:
        """The name of its file, without the ending."""
        return f"{self.view}-{self.device}-{self.scheme}"


PICTURES = {
    picture.name: picture
    for picture in (Picture(view, device, scheme) for view, device, scheme in product(VIEWS, WIDTHS, SCHEMES))
}


def chosen() -> list[Picture]:
    """Return the pictures that the guide shows; one that nobody can take is a ``KeyError``."""
    links = re.findall(r"\]\(pictures/([\w-]+)\.png\)", GUIDE.read_text(encoding="utf-8"))
    return [PICTURES[name] for name in links]


def write_pages(folder: Path) -> None:
    """Run the commands that write all pages into a folder."""
    place = Place(folder, "invoices")
    _write_packets(folder / "packets", documents=40)
    (folder / "labels.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in _label_rows()), encoding="utf-8")
    (folder / "results").mkdir()
    for name, result in _results(documents=36):
        (folder / "results" / name).write_text(json.dumps(result), encoding="utf-8")
    for command in (*demo_pages(), *_COMMANDS):
        place.run(command)


def demo_pages() -> list[str]:
    """Return the commands of ``make demo`` that come after its invoices are made."""
    return [command for command in demo_commands() if command.startswith("fieldwise")]


def take(pictures: Iterable[Picture], pages: Path) -> Iterator[tuple[Picture, bytes]]:
    """Open each view in a browser, from its file, and return it as PNG, as long as it is."""
    with chromium() as browser:
        for picture in pictures:
            yield picture, _photograph(browser, picture, pages)


def _photograph(browser: Browser, picture: Picture, pages: Path) -> bytes:
    page_name = picture.view.split("-")[0]
    context = browser.new_context(
        viewport={"width": WIDTHS[picture.device], "height": 900},
        color_scheme=picture.scheme,
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.goto(f"{(pages / PAGES[page_name]).as_uri()}#{VIEWS[picture.view]}")
    page.locator("main footer").wait_for()
    # A window as high as the page: a picture of more than the window moves what is scrolled sideways back to its start.
    height: int = page.evaluate("document.documentElement.scrollHeight")
    page.set_viewport_size({"width": WIDTHS[picture.device], "height": height})
    page.wait_for_timeout(400)
    png = page.screenshot()
    context.close()
    return png


def small(png: bytes, device: str) -> bytes:
    """Return the beginning of a picture in few colours."""
    image = Image.open(io.BytesIO(png)).convert("RGB")
    cut = image.crop((0, 0, image.width, min(image.height, MAX_HEIGHTS[device])))
    out = io.BytesIO()
    cut.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
    return out.getvalue()


def _write_packets(folder: Path, documents: int) -> None:
    """Write packets of three sections: some of the wrong class, lost, extra, or with a wrong total."""
    sides: tuple[dict[str, Any], dict[str, Any]] = {}, {}
    for k in range(documents):
        name, vendor = f"loan-{k:02}.pdf", {"metadata": {"vendor": _VENDORS[k % len(_VENDORS)]}}
        for side in sides:
            side[name] = {}
        for at in range(3):
            right = _CLASSES[(k + at) % len(_CLASSES)]
            other = _CLASSES[(k + at + 1) % len(_CLASSES)]
            values = _section_values(right, k, at)
            pages = [2 * at, 2 * at + 1]
            sides[0][name][str(at + 1)] = section(right, values, pages, **vendor)
            if (k + at) % 11:
                guess = {**values, "total": values["total"] + 800} if (k + at) % 5 == 0 else values
                sides[1][name][str(at + 1)] = section(other if (k + at) % 7 == 0 else right, guess, pages, **vendor)
        if k % 9 == 0:
            sides[1][name]["4"] = section("Payslip", {"number": "P-0"}, [6], **vendor)
    for name, written in zip(("expected", "predicted"), sides, strict=True):
        write_sections(folder / name, written)


def _section_values(document_class: str, k: int, at: int) -> dict[str, Any]:
    values: dict[str, Any] = {"number": f"{document_class[0]}-{k:02}{at}", "total": 100.5 + k}
    if document_class == "Invoice":
        values["line_items"] = [{"sku": f"AB-{k}", "price": 9.5}, {"sku": f"CD-{k}", "price": 4.0}]
    return values


def _label_rows() -> Iterator[Mapping[str, Any]]:
    names = list(_ACTIONS)
    for at, (label, right) in enumerate(_ACTIONS.items()):
        for n in range(100):
            answer = label if n < right else names[(at + 1 + n % 2) % len(names)]
            yield {
                "correct": answer == label,
                "golden": {"event": label},
                "predicted": {"tool": answer},
                "metadata": {"document": f"task-{n % 20:02}"},
            }


def _results(documents: int) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for k in range(documents):
        wrong = {"total": k % 3 == 0, "vendor": k % 8 == 0, "number": False}
        fields = {field: _cells(is_wrong) for field, is_wrong in wrong.items()}
        sums = {key: sum(cells[key] for cells in fields.values()) for key in _cells(False)}
        entries = [
            {
                "field_path": field,
                "non_match_type": "false_discovery",
                "ground_truth_value": f"{field} {k}.00",
                "prediction_value": f"{field} {k}.80",
                "similarity_score": 0.2,
            }
            for field, is_wrong in wrong.items()
            if is_wrong
        ]
        matrix = {"overall": sums, "fields": fields, "aggregate": sums}
        score = sums["tp"] / len(fields)
        yield f"doc-{k:02}.json", {"confusion_matrix": matrix, "overall_score": score, "non_matches": entries}


def _cells(is_wrong: bool) -> dict[str, int]:
    wrong = int(is_wrong)
    return {"tp": 1 - wrong, "fd": wrong, "fa": 0, "fn": 0, "tn": 0, "fp": wrong}


def main() -> None:
    """Write the pictures of the guide, or all of them into another folder."""
    parser = argparse.ArgumentParser(description="Take pictures of every page that fieldwise writes.")
    parser.add_argument("--all", type=Path, metavar="FOLDER", help="write every picture, in full length, into FOLDER")
    folder: Path | None = parser.parse_args().all
    with tempfile.TemporaryDirectory() as made:
        write_pages(Path(made))
        if folder is None:
            _write_chosen(Path(made))
        else:
            _write_all(folder, Path(made))


def _write_chosen(pages: Path) -> None:
    pictures = chosen()
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.png"):
        if old.stem not in {picture.name for picture in pictures}:
            old.unlink()
    for picture, png in take([PICTURES[README_VIEW], *pictures], pages):
        path = README_PICTURE if picture.name == README_VIEW else FOLDER / f"{picture.name}.png"
        path.write_bytes(small(png, picture.device))
        print(path.relative_to(ROOT))


def _write_all(folder: Path, pages: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for picture, png in take(PICTURES.values(), pages):
        (folder / f"{picture.name}.png").write_bytes(png)
        print(folder / f"{picture.name}.png")


if __name__ == "__main__":
    main()
