"""The module paths and names of stickler-eval 1.0.0, where each comes from here, and what is not served and why."""

from __future__ import annotations

from typing import Final

_HOMES: Final = {
    "fieldwise": """ANLSStarComparator BBoxIoUComparator BaseComparator ComparableField DateComparator EvalResult
        EvalSpec ExactComparator FuzzyComparator LLMComparator LevenshteinComparator NonMatchField NonMatchType
        NormalizedComparator NumericComparator PhoneComparator ProcessEvaluation SemanticComparator StructuredModel
        StructuredModelComparator aggregate_from_comparisons anls_score compare_json compare_structured_models eval_for
        evaluate""",
    "fieldwise.bulk": """AUROCMetric BBoxMAPAccumulator BrierScoreMetric ConfidenceAccumulator ConfidenceMetric
        ConfidencePair DocSplitClassificationMetrics ECEMetric ErrorCaptureAtBudgetMetric PostComparisonAccumulator
        evaluate_packet""",
    "fieldwise.migration.helpers": """BERT_AVAILABLE BulkStructuredModelEvaluator ComparatorRegistry DEFAULT_REGION
        LLM_AVAILABLE RAPIDFUZZ_AVAILABLE STRANDS_AVAILABLE ScoreNode construct_nested_dict create_comparator
        default_metrics get_comparator_class get_global_registry lowercase merge_and_calculate_mean register_comparator
        strip_punctuation_space structured_model_for""",
    "fieldwise.migration.html_report": "EvaluationHTMLReporter ReportConfig ReportResult",
    "fieldwise.migration.matching": "HUNGARIAN_SIZE_WARNING_THRESHOLD HungarianMatcher",
    "fieldwise.migration.printing": """print_confusion_matrix print_confusion_matrix_html print_evaluation_results
        print_non_matches""",
}
HOME_OF: Final = {name: (home, name) for home, names in _HOMES.items() for name in names.split()} | {
    "Fuzz": ("fieldwise", "FuzzyComparator"),
    "NumericExactC": ("fieldwise", "NumericComparator"),
}
"""Of each name that is served, the module that it is taken from and its name there."""

_COMPARATORS = """BaseComparator BBoxIoUComparator LevenshteinComparator NormalizedComparator NumericComparator
    NumericExactC ExactComparator ANLSStarComparator PhoneComparator DateComparator StructuredModelComparator
    SemanticComparator FuzzyComparator"""
_PRINTING = "print_confusion_matrix print_confusion_matrix_html"
_SCORES = "ScoreNode construct_nested_dict merge_and_calculate_mean"
_CONFIDENCE = "AUROCMetric BrierScoreMetric ECEMetric ErrorCaptureAtBudgetMetric ConfidenceMetric ConfidencePair"
_MODULES: Final = {
    "": """ANLSStarComparator BBoxIoUComparator BaseComparator ComparableField DateComparator EvalResult EvalSpec
        ExactComparator FuzzyComparator LevenshteinComparator NonMatchField NonMatchType NormalizedComparator
        NumericComparator PhoneComparator SemanticComparator StructuredModel StructuredModelComparator
        aggregate_from_comparisons anls_score compare_json compare_structured_models eval_for evaluate""",
    "algorithms": "HUNGARIAN_SIZE_WARNING_THRESHOLD HungarianMatcher",
    "algorithms.hungarian": "HUNGARIAN_SIZE_WARNING_THRESHOLD HungarianMatcher",
    "auto": "EvalResult EvalSpec eval_for evaluate",
    "auto.builder": "structured_model_for",
    "auto.facade": "EvalResult EvalSpec eval_for evaluate",
    "comparators": f"{_COMPARATORS} Fuzz LLMComparator BERT_AVAILABLE LLM_AVAILABLE RAPIDFUZZ_AVAILABLE",
    "comparators.anls": "ANLSStarComparator",
    "comparators.base": "BaseComparator",
    "comparators.bbox": "BBoxIoUComparator",
    "comparators.date": "DateComparator",
    "comparators.exact": "ExactComparator",
    "comparators.fuzzy": "Fuzz FuzzyComparator RAPIDFUZZ_AVAILABLE",
    "comparators.levenshtein": "LevenshteinComparator",
    "comparators.llm": "LLMComparator STRANDS_AVAILABLE",
    "comparators.normalized": "NormalizedComparator",
    "comparators.numeric": "NumericComparator NumericExactC",
    "comparators.phone": "DEFAULT_REGION PhoneComparator",
    "comparators.semantic": "SemanticComparator",
    "comparators.structured": "StructuredModelComparator",
    "doc_split": "DocSplitClassificationMetrics evaluate_packet",
    "doc_split.doc_split_classification_metrics": "DocSplitClassificationMetrics",
    "doc_split.packet_evaluation_metrics": "evaluate_packet",
    "reporting": "",
    "reporting.html": "EvaluationHTMLReporter ReportConfig",
    "reporting.html.html_reporter": "EvaluationHTMLReporter",
    "reporting.html.report_config": "ReportConfig ReportResult",
    "structured_object_evaluator": f"""ComparableField NonMatchField NonMatchType StructuredModel
        aggregate_from_comparisons anls_score compare_json compare_structured_models {_SCORES} {_PRINTING}""",
    "structured_object_evaluator.bulk_structured_model_evaluator": (
        "BulkStructuredModelEvaluator aggregate_from_comparisons"
    ),
    "structured_object_evaluator.models": "",
    "structured_object_evaluator.models.bbox": "BBoxMAPAccumulator",
    "structured_object_evaluator.models.bbox.accumulator": "BBoxMAPAccumulator",
    "structured_object_evaluator.models.comparable_field": "ComparableField",
    "structured_object_evaluator.models.comparator_registry": (
        "ComparatorRegistry create_comparator get_comparator_class get_global_registry register_comparator"
    ),
    "structured_object_evaluator.models.confidence": f"{_CONFIDENCE} default_metrics",
    "structured_object_evaluator.models.confidence.accumulator": "ConfidenceAccumulator",
    "structured_object_evaluator.models.confidence.metrics": f"{_CONFIDENCE} default_metrics",
    "structured_object_evaluator.models.non_match_field": "NonMatchField NonMatchType",
    "structured_object_evaluator.models.post_comparison_accumulator": "PostComparisonAccumulator",
    "structured_object_evaluator.models.structured_model": "StructuredModel",
    "structured_object_evaluator.utils": f"anls_score compare_json compare_structured_models {_SCORES}",
    "structured_object_evaluator.utils.anls_score": "anls_score compare_json compare_structured_models",
    "structured_object_evaluator.utils.compare_json": "compare_json",
    "structured_object_evaluator.utils.key_scores": _SCORES,
    "structured_object_evaluator.utils.pretty_print": f"{_PRINTING} print_evaluation_results print_non_matches",
    "utils": "lowercase strip_punctuation_space",
    "utils.process_evaluation": "ProcessEvaluation",
    "utils.text_normalizers": "lowercase strip_punctuation_space",
}
MODULES: Final = {f"stickler.{path}".rstrip("."): tuple(names.split()) for path, names in _MODULES.items()}
"""The modules that are served, and their names."""

_INTERNAL = "a part of how stickler compares; fieldwise.Plan compares here, and its Comparison holds every result"
_SCHEMA = "a part of how stickler reads schemas; StructuredModel.from_json_schema and fieldwise.Spec read them here"
_TYPES = "a helper for annotations; typing and pydantic have their own"
_HTML = "a part of stickler's page; EvaluationHTMLReporter writes the page of fieldwise"
_INFERENCE = "EvalSpec.explain() says how each field is compared"
_CONFIDENCES = "compare_with(add_confidence_metrics=True) and ConfidenceAccumulator compute these metrics"
_BOXES = "compare_with(add_bbox_metrics=True) and BBoxMAPAccumulator compute these metrics"
_THRESHOLDS = "a default of stickler; print(fieldwise.Plan.compile(spec)) shows those that are used"
_MODELS = "structured_object_evaluator.models"
_UNSERVED: Final = {
    _INFERENCE: "auto.inference auto.infer_field_config auto.InferredSpec auto.builder.specs_for",
    _THRESHOLDS: """auto.facade.DEFAULT_MATCH_THRESHOLD comparators.anls.DEFAULT_LEAF_THRESHOLD
        comparators.anls.DEFAULT_VERDICT_THRESHOLD""",
    "pass the embeddings of your service: SemanticComparator(embedding_function=…)": """
        comparators.generate_bedrock_embedding comparators.utils""",
    "SemanticComparator compares by meaning": "comparators.bert",
    "LLMComparator(model=…, endpoint=…) asks an OpenAI-compatible service, LLMComparator(f) any function": """
        comparators.llm.Agent comparators.llm.Model comparators.llm.NoCredentialsError""",
    "evaluate_packet returns all of these scores": """
        doc_split.packet_evaluation_metrics.calculate_average_ordering_score
        doc_split.packet_evaluation_metrics.calculate_clustering_score
        doc_split.packet_evaluation_metrics.calculate_final_score
        doc_split.packet_evaluation_metrics.calculate_ordering_score_per_group
        doc_split.packet_evaluation_metrics.create_composite_group_ids""",
    _HTML: """reporting.html.SectionGenerator reporting.html.VisualizationEngine reporting.html.section_generator
        reporting.html.utils reporting.html.visualization_engine""",
    _BOXES: f"{_MODELS}.bbox.calculator "
    + " ".join(
        f"{_MODELS}.bbox.{name}"
        for name in (
            *("MAPCalculator", "BBoxExtractionResult", "BBoxObservation", "BBoxObservations", "KeyedBBoxPairs"),
            "class_key",
        )
    )
    + f" {_MODELS}.bbox.accumulator.DEFAULT_IOU_THRESHOLDS",
    _CONFIDENCES: f"{_MODELS}.confidence.calculator "
    + " ".join(
        f"{_MODELS}.confidence.{name}"
        for name in ("ConfidenceCalculator", "ExtractionResult", "ConfidencePairs", "KeyedConfidencePairs")
    ),
    _SCHEMA: " ".join(
        f"{_MODELS}.{name}"
        for name in (
            *("comparable_field.add_comparison_schema", "comparator_registry.normalize_comparator_config"),
            *("comparison_info", "configuration_helper", "field", "field_converter", "json_schema_field_converter"),
            *("json_schema_importer", "model_factory", "type_resolver", "structured_model.THRESHOLD_DOCS_URL"),
        )
    ),
    _TYPES: f"{_MODELS}.optional_annotation",
    _INTERNAL: "structured_object_evaluator.trees "
    + " ".join(
        f"{_MODELS}.{name}"
        for name in (
            *("aggregate_metrics_calculator", "comparison_dispatcher", "comparison_engine", "comparison_helper"),
            *("comparison_helper_base", "confusion_matrix_builder", "confusion_matrix_calculator"),
            *("derived_metrics_calculator", "evaluator_format_helper", "field_comparator"),
            *("field_comparison_collector", "field_comparison_helper", "field_helper", "hungarian_helper"),
            *("metrics_helper", "non_match_collector", "non_matches_helper", "null_helper"),
            *("primitive_list_comparator", "result_helper", "rich_value_helper", "structured_list_comparator"),
            "threshold_helper",
        )
    ),
    "the package jsonschema validates": "structured_object_evaluator.utils.json_schema_validator",
    "rich has colours for terminals": "structured_object_evaluator.utils.pretty_print.Colors",
    "the standard library has it: json, warnings, argparse, time": """utils.canonical utils.deprecation
        utils.eval_argparser utils.time_util""",
    "ProcessEvaluation.to_md() writes Markdown": "utils.markdown_util",
    "scikit-learn and scipy compute these": "utils.statistics",
}
UNSERVED: Final = {f"stickler.{path}": reason for reason, paths in _UNSERVED.items() for path in paths.split()}
"""Modules, and names in modules, that are not served, and what to use."""


def why_unserved(path: str) -> str | None:
    """Return why a module or a name in one is not served; what is in a module that is not served is not, either.

    >>> why_unserved("stickler.utils.time_util.sleep")
    'the standard library has it: json, warnings, argparse, time'
    """
    while path:
        if path in UNSERVED:
            return UNSERVED[path]
        path = path.rpartition(".")[0]
    return None
