"""Scripts for stickler-eval 1.0.0 with its own imports; each prints the numbers that a reader would look at."""

from __future__ import annotations

_MODELS = """
from typing import List
from stickler.comparators.exact import ExactComparator
from stickler.comparators.levenshtein import LevenshteinComparator
from stickler.comparators.numeric import NumericComparator
from stickler.structured_object_evaluator.models.comparable_field import ComparableField
from stickler.structured_object_evaluator.models.structured_model import StructuredModel

class Line(StructuredModel):
    sku: str = ComparableField(comparator=ExactComparator(), threshold=1.0)
    price: float = ComparableField(comparator=NumericComparator(), threshold=0.9)

class Invoice(StructuredModel):
    number: str = ComparableField(comparator=LevenshteinComparator(), threshold=0.9, weight=2.0)
    vendor: str = ComparableField(comparator=LevenshteinComparator(), threshold=0.7)
    lines: List[Line] = ComparableField(weight=3.0)

def invoice(number, vendor, *lines):
    return Invoice(number=number, vendor=vendor, lines=[Line(sku=sku, price=price) for sku, price in lines])

EXPECTED = invoice("INV-17", "Nordwind AG", ("A1", 2.5), ("B2", 4.0))
PREDICTED = invoice("INV-17", "Nordwind", ("B2", 4.0), ("A1", 3.5), ("C3", 1.0))
"""
SCRIPTS = {
    "matrix": _MODELS
    + """
result = EXPECTED.compare_with(PREDICTED, include_confusion_matrix=True, document_non_matches=True)
print(round(result["overall_score"], 9), {k: round(v, 9) for k, v in result["field_scores"].items()})
matrix = result["confusion_matrix"]
print(matrix["overall"]["tp"], matrix["aggregate"]["derived"])
for entry in result["non_matches"]:
    print(entry["field_path"], entry["non_match_type"])
""",
    "bulk": _MODELS
    + """
from stickler.structured_object_evaluator.bulk_structured_model_evaluator import BulkStructuredModelEvaluator
from stickler.utils.process_evaluation import ProcessEvaluation

evaluator = BulkStructuredModelEvaluator(target_schema=Invoice, verbose=False, document_non_matches=False)
evaluator.update_batch([(EXPECTED, PREDICTED, "one"), (EXPECTED, EXPECTED, "two")])
print(evaluator._processed_count)
result = evaluator.compute()
assert isinstance(result, ProcessEvaluation)
print(result.document_count, {k: v for k, v in sorted(result.metrics.items()) if k in ("tp", "fp", "fn", "cm_f1")})
for path in ("number", "vendor", "lines", "lines.price"):
    print(path, {k: v for k, v in sorted(result.field_metrics[path].items()) if k in ("tp", "fp", "fn", "cm_f1")})
""",
    "doc_split": """
from stickler.doc_split import DocSplitClassificationMetrics
from stickler.doc_split.packet_evaluation_metrics import evaluate_packet

metrics = DocSplitClassificationMetrics()
metrics.load_sections(
    [{"section_id": "1", "document_class": "a", "page_indices": [0, 1]},
     {"section_id": "2", "document_class": "b", "page_indices": [2]}],
    [{"section_id": "p", "document_class": "a", "page_indices": [0]},
     {"section_id": "q", "document_class": "b", "page_indices": [1, 2]}],
)
found = metrics.calculate_all_metrics()
for name in ("page_level_accuracy", "split_accuracy_without_order", "split_accuracy_with_order"):
    print(name, round(found[name]["accuracy"], 9))
pages = [(1, 1, 1, 1), (1, 2, 2, 1), (2, 2, 1, 2)]
rows = [dict(zip(("group_id", "group_id_predicted", "page_number", "page_number_predicted"), page)) for page in pages]
print({k: round(v, 9) for k, v in sorted(evaluate_packet(rows).items()) if isinstance(v, float)})
""",
    "confidence": """
from stickler import ComparableField, LevenshteinComparator, StructuredModel
from stickler.structured_object_evaluator.models.confidence import AUROCMetric, BrierScoreMetric, default_metrics

class Person(StructuredModel):
    name: str = ComparableField(comparator=LevenshteinComparator(), threshold=0.8)
    city: str = ComparableField(comparator=LevenshteinComparator(), threshold=0.8)

expected = Person(name="Ada", city="London")
rich = {"name": {"_value": "Ada", "_confidence": 0.9}, "city": {"_value": "Paris", "_confidence": 0.4}}
predicted = Person.from_json(rich, process_rich_values=True)
print(predicted.get_field_confidence("name"), sorted(predicted.get_all_confidences().items()))
result = expected.compare_with(predicted, add_confidence_metrics=True, document_field_comparisons=True)
print(result["confidence_metrics"]["overall"]["auroc"], len(default_metrics()))
""",
    "small": """
import stickler
from stickler.algorithms import HungarianMatcher
from stickler.comparators import Fuzz, FuzzyComparator, NumericExactC
from stickler.comparators.semantic import SemanticComparator
from stickler.structured_object_evaluator import construct_nested_dict, merge_and_calculate_mean
from stickler.structured_object_evaluator.models.comparator_registry import create_comparator, get_global_registry
from stickler.structured_object_evaluator.models.non_match_field import NonMatchType
from stickler.utils.text_normalizers import lowercase, strip_punctuation_space

print(NonMatchType.FALSE_ALARM, f"{NonMatchType.FALSE_NEGATIVE}", NonMatchType.FALSE_DISCOVERY.value)
print(Fuzz is FuzzyComparator, NumericExactC.__name__, stickler.comparators.ExactComparator().compare("a", "A"))
matcher = HungarianMatcher(stickler.LevenshteinComparator())
for left, right in ((["abc", "xyz"], ["xyy", "ABC", "q"]), ([], ["a"]), (["a"], []), (["a", "b"], ["a"])):
    found = matcher.calculate_metrics(left, right)
    pairs = [(i, j, round(float(score), 9)) for i, j, score in found.pop("matched_pairs")]
    print(pairs, {k: round(float(v), 9) for k, v in sorted(found.items())}, matcher.binary_compare(left, right))
scores = [{("a",): 1.0, ("b", "c"): 0.5}, {("a",): 0.0}]
print(merge_and_calculate_mean(scores))
print(construct_nested_dict(scores)["b"].children["c"].score)
print(create_comparator("LevenshteinComparator").compare("ab", "ac"), get_global_registry().is_registered("Nope"))
print(lowercase("AbC"), strip_punctuation_space("A-b, c"), lowercase(None))
SemanticComparator()
""",
}
REPORT = (
    _MODELS
    + """
import os
os.makedirs("reports")
from stickler.reporting.html import EvaluationHTMLReporter, ReportConfig
from stickler.structured_object_evaluator.bulk_structured_model_evaluator import BulkStructuredModelEvaluator
from stickler.structured_object_evaluator.utils.pretty_print import print_confusion_matrix, print_non_matches

evaluator = BulkStructuredModelEvaluator(target_schema=Invoice, individual_results_jsonl="reports/results.jsonl")
evaluator.update(EXPECTED, PREDICTED, doc_id="one")
results = evaluator.compute()
evaluator.close()
print_confusion_matrix(results, show_details=True, sort_by="f1", field_filter="lines", output_file="matrix.txt")
print_non_matches(EXPECTED.compare_with(PREDICTED, include_confusion_matrix=True, document_non_matches=True))
written = [
    EvaluationHTMLReporter().generate_report(
        evaluation_results=results, output_path="reports/page.html", config=ReportConfig(max_non_matches_displayed=50),
        model_schema=Invoice, individual_results_jsonl_path="reports/results.jsonl",
    ),
    EvaluationHTMLReporter().generate_report(results, "reports/sums.html"),
    EvaluationHTMLReporter().generate_report(
        EXPECTED.compare_with(PREDICTED, include_confusion_matrix=True), output_path="one.html"
    ),
]
for report in written:
    assert report.success, report.errors
    print(report.output_path, report.metadata["document_count"], ",".join(report.sections_included))
"""
)
