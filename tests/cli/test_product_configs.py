"""Every shape of the product's own configs runs; what its own check refuses is refused here too."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from fieldwise.spec.class_config import spec_of_classes
from tests.cli.product_shapes import REFUSED, SHAPES, config_of
from tests.command_line import Ended, run
from tests.comparators.test_judge import Service
from tests.evaluation.test_judge_faults import service as service  # a fixture
from tests.sections import section, write_sections

DOCUMENT = {
    "who": "Ada Lovelace",
    "net": 100,
    "day": "03/02/2024",
    "rows": [{"sku": "A"}, {"sku": "B"}],
    "tags": ["x"],
}
OTHER = {**DOCUMENT, "who": "Lovelace Ada"}


def evaluated(
    folder: Path, config: dict[str, Any], predicted: dict[str, Any], *options: str, **variables: str
) -> Ended:
    write_sections(folder / "e", {"a": {"1": section("Payslip", DOCUMENT, [0])}})
    write_sections(folder / "p", {"a": {"1": section("Payslip", predicted, [0])}})
    path = folder / "config.yaml"
    path.write_text(yaml.safe_dump(config))
    return run("evaluate", folder / "e", folder / "p", "--config", path, "--json", *options)


def test_there_are_as_many_shapes_as_the_product_ships_configs() -> None:
    """Twenty-two."""
    assert len(SHAPES) == 22


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_runs(tmp_path: Path, shape: str) -> None:
    """A document against itself is right in every declared field, and no judge is asked."""
    done = evaluated(tmp_path, config_of(SHAPES[shape]), DOCUMENT)
    assert done.returncode == 0, done.stderr
    metrics = json.loads(done.stdout)
    assert metrics["aggregate"]["strict_f1"] == 1.0
    assert metrics["aggregate"]["tp"] >= 1


def test_shapes_are_read_as_they_are_given() -> None:
    """Reading a config changes nothing in it."""
    configs = {shape: config_of(properties, with_model=True) for shape, properties in SHAPES.items()}
    before = copy.deepcopy(configs)
    for config in configs.values():
        spec_of_classes(config)
    assert configs == before


@pytest.mark.parametrize("shape", REFUSED)
def test_what_the_product_refuses_is_refused(tmp_path: Path, shape: str) -> None:
    """With the place, before the first document."""
    properties, words = REFUSED[shape]
    done = evaluated(tmp_path, config_of(properties), DOCUMENT)
    assert done.returncode == 2
    assert words in done.stderr
    assert "$.classes[0]." in done.stderr


def test_a_judge_without_model_is_refused_when_it_is_asked(tmp_path: Path) -> None:
    """One sentence says how to set it."""
    done = evaluated(tmp_path, config_of(SHAPES["judge of a value"]), OTHER)
    assert (done.returncode, done.stdout) == (2, "")
    assert "A judge is to be asked that has no model and no endpoint" in done.stderr
    assert "--judge-model and --judge-endpoint set them" in done.stderr
    assert done.stderr.count("\n") == 1


def test_meaning_without_a_model_is_refused_when_it_is_asked(tmp_path: Path) -> None:
    """One sentence says how to set it."""
    done = evaluated(tmp_path, config_of(SHAPES["meaning without a model"]), OTHER)
    assert (done.returncode, done.stdout) == (2, "")
    assert "set FIELDWISE_EMBEDDING_MODEL in the environment" in done.stderr


@pytest.mark.parametrize(
    ("options", "with_model", "model"),
    [
        (("--judge-model", "tiny"), False, "tiny"),
        (("--judge-model", "tiny"), True, "tiny"),
        ((), True, "some.judge-v1:0"),
    ],
)
def test_a_judge_has_the_model_of_the_settings(
    tmp_path: Path, service: Service, options: tuple[str, ...], with_model: bool, model: str
) -> None:
    """That of the call, else that of the whole config; and spec.json says which."""
    config = config_of(SHAPES["judge of a value"], with_model=with_model)
    out = tmp_path / "out"
    done = evaluated(tmp_path, config, OTHER, *options, "--judge-endpoint", service.url, "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert [request["model"] for request in service.requests] == [model]
    assert json.loads(done.stdout)["fields"]["who"]["tp"] == 1  # the judge of these tests compares letters
    assert model in (out / "spec.json").read_text()


def test_a_judge_inside_rows_is_asked_only_where_it_is_allowed(tmp_path: Path, service: Service) -> None:
    """Elsewhere rows are compared as if no method were declared, also through a reference."""
    predicted = {**DOCUMENT, "rows": [{"sku": "A"}, {"sku": "C"}]}
    referred = {
        "rows": {"type": "array", "items": {"$ref": "#/$defs/row"}},
        "$defs": {"row": SHAPES["judge inside rows"]["rows"]["items"]},
    }
    config = config_of({"rows": referred["rows"]})
    config["classes"][0]["$defs"] = referred["$defs"]
    for asked in (config, config_of(SHAPES["judge inside rows"])):
        done = evaluated(tmp_path, asked, predicted)
        assert done.returncode == 0, done.stderr
    allowed = config_of(SHAPES["judge allowed inside rows"], with_model=True)
    assert evaluated(tmp_path, allowed, predicted, "--judge-endpoint", service.url).returncode == 0
    assert service.requests
