// Made by `npm run types` from page.schema.json and questions.schema.json in docs/schemas; not to be edited.

/**
 * Everything inside a page: a run with its confidences, two that are compared, confidences, a sweep, or labels.
 */
export interface PageAnswers {
  title: string;
  facts?: {
    [k: string]: string;
  };
  run?: RunPage | null;
  difference?: RunDifference | null;
  unpaired?: UnpairedDifference | null;
  confidence?: ConfidencePage | null;
  sweep?: SweepPage | null;
  classes?: ClassesPage | null;
  verdict?: string;
  notes?: string[];
  format?: "fieldwise.page/2";
}
/**
 * A run: its sums, its documents worst first, and rows that are shared over fields and outcomes.
 */
export interface RunPage {
  metrics: Metrics;
  rules?: Rule[];
  rule_notes?: string[];
  documents?: PageDocument[];
  document_total?: number;
  errors?: PageValue[];
  accepted?: PageValue[];
  values?: PageValue[];
  curves?: ThresholdCurve[];
  has_rows?: boolean;
  counts_only?: boolean;
}
/**
 * Everything that an evaluation counted. No clock time and no path: the same input gives the same bytes.
 */
export interface Metrics {
  aggregate: FieldMetrics;
  document_count: number;
  overall: SeedRow;
  fields: {
    [k: string]: FieldMetrics;
  };
  trial_count?: number | null;
  errors?: Failure[];
  error_count?: number;
  skipped_count?: number;
  documents?: {
    [k: string]: number;
  };
  document_metrics?: DocumentMetrics;
  field_macro?: FieldMacro;
  error_kinds?: ErrorKindCounts | null;
  undeclared_fields?: string[];
  outside?: {
    [k: string]: OutsideCount;
  };
  outside_not_listed?: OutsideCount;
  classes?: {
    [k: string]: GroupMetrics;
  } | null;
  sections?: SectionMetrics | null;
  slices?: {
    [k: string]: SliceMetrics;
  } | null;
  cluster_by?: string | null;
  cluster_count?: number | null;
  unmatched?: "leaves" | "objects";
  extras?: ("ignore" | "leaves") | null;
  limits?: LimitsMet;
  spec_fingerprint?: string | null;
  scorer_version?: string | null;
  notes?: Note[];
  format?: "fieldwise.metrics/3";
}
/**
 * The counts of one field over all documents, and its rates with their intervals, documents taken as units.
 */
export interface FieldMetrics {
  tp: number;
  fp: number;
  tn: number;
  fn: number;
  fd: number;
  fa: number;
  precision: number;
  recall: number;
  f1: number;
  accuracy: number;
  strict_recall: number | null;
  strict_f1: number | null;
  rates: Rates;
  mean_score?: number | null;
  written_differently?: number;
  similar?: number;
  row_rejected?: number;
  scope?: "object" | "rows" | "total" | "undeclared" | "values";
}
/**
 * The five ratios of one set of counts, each with its interval.
 */
export interface Rates {
  precision: Rate;
  recall: Rate;
  strict_recall: Rate;
  f1: Rate;
  strict_f1: Rate;
}
/**
 * A rate with its 95% interval. What is undefined is None.
 *
 *     ``n`` units, documents unless ``unit`` says otherwise, have something to divide by. ``value`` is None where none
 *     has; the bounds are None where fewer than two have, or where nobody knows. ``effective_n`` is how many units of
 *     equal size would say as much, where that is less than half of n (Kish).
 */
export interface Rate {
  value: number | null;
  low?: number | null;
  high?: number | null;
  n?: number;
  unit?: "classes" | "clusters" | "documents" | "fields" | "values";
  effective_n?: number | null;
}
/**
 * Six counts and the ratios of them, 0.0 where there is nothing to divide by; the strict ones None where a matrix
 *     did not say which false positives are wrong values.
 */
export interface SeedRow {
  tp: number;
  fp: number;
  tn: number;
  fn: number;
  fd: number;
  fa: number;
  precision: number;
  recall: number;
  f1: number;
  accuracy: number;
  strict_recall: number | null;
  strict_f1: number | null;
}
/**
 * A document, or one trial of it, that could not be compared, or of which one side was missing, and why.
 */
export interface Failure {
  doc_id: string | null;
  error: string;
  kind?: string;
  trial?: number | null;
}
/**
 * What is known of documents as wholes.
 *
 *     - ``exact_rate`` is the share of documents without any wrong, missed or invented value: those that could go straight
 *       through. Documents without any value are among them. ``exact_documents`` are without error in every trial.
 *     - ``macro_strict_f1`` is the mean of the documents' own strict F1, 2·tp / (2·tp + 2·fd + fa + fn); skipped documents
 *       have no value on either side, which is 0/0.
 *     - ``weighted_score`` is the mean of the documents' weighted scores; skipped ones have no value on either side.
 *     - ``mean_overall_score`` is the mean of the overall scores that results made elsewhere state; None for others.
 *     - ``score_histogram``: how many documents have a score in each of as many equal steps; the last step holds 1.
 *
 *     Where a document has several trials, its own value is the mean over them.
 */
export interface DocumentMetrics {
  exact_documents?: number;
  exact_rate?: Rate;
  macro_strict_f1?: DocumentMean;
  weighted_score?: DocumentMean;
  mean_overall_score?: DocumentMean | null;
  score_histogram?: number[];
}
/**
 * A mean over documents, each weighing the same; ``skipped`` ones had nothing to divide by.
 */
export interface DocumentMean {
  value: number | null;
  low?: number | null;
  high?: number | null;
  n?: number;
  unit?: "classes" | "clusters" | "documents" | "fields" | "values";
  effective_n?: number | null;
  skipped?: number;
}
/**
 * Means over declared leaf fields.
 */
export interface FieldMacro {
  strict_f1: FieldMean;
}
/**
 * A mean over ``n`` fields, every field weighing the same; ``skipped`` fields had nothing to divide by.
 *
 *     There is no interval: fields are not drawn from others, and the documents that they share make them vary together.
 */
export interface FieldMean {
  value: number | null;
  n?: number;
  skipped?: number;
}
/**
 * How often each kind of error occurs, among all values and in each field.
 */
export interface ErrorKindCounts {
  total: {
    [k: string]: number;
  };
  fields: {
    [k: string]: {
      [k: string]: number;
    };
  };
}
/**
 * How many values are under a key that no field declares and count nowhere.
 */
export interface OutsideCount {
  expected?: number;
  predicted?: number;
}
/**
 * What some of the documents count, those of one class or with one slice value.
 *
 *     Matrices made elsewhere give the fields of a class alone, without intervals.
 */
export interface GroupMetrics {
  fields: {
    [k: string]: FieldMetrics;
  };
  aggregate?: FieldMetrics | null;
  document_count?: number | null;
  document_metrics?: DocumentMetrics;
}
/**
 * The sections of all documents by what became of them; ``paired`` ones have a partner of their class.
 */
export interface SectionMetrics {
  paired?: number;
  wrong_class?: number;
  lost?: number;
  extra?: number;
  excluded?: number;
  classification_errors?: ClassificationError[];
  splitting?: SplitMetrics | null;
  classes?: SectionClass[];
  confusion_matrix?: Confusion | null;
  without_class?: number;
}
/**
 * A section that has no partner of its class.
 */
export interface ClassificationError {
  doc_id: string;
  section_id: string;
  kind: "extra" | "lost" | "wrong_class";
  expected_class?: string | null;
  predicted_class?: string | null;
  expected_pages?: number[] | null;
  predicted_pages?: number[] | null;
}
/**
 * How pages were classified and put together, over the pages and expected sections of all documents.
 */
export interface SplitMetrics {
  total_pages?: number;
  correctly_classified_pages?: number;
  total_splits?: number;
  correctly_split_without_order?: number;
  correctly_split_with_order?: number;
  page_level_accuracy?: number | null;
  split_accuracy_without_order?: number | null;
  split_accuracy_with_order?: number | null;
}
/**
 * How well the sections of one class were found. The units of the intervals are documents, or their clusters.
 *
 *     ``tp`` sections have a partner of the class, ``fp`` are predicted as it and are not, ``fn`` are expected as it and
 *     were not found.
 */
export interface SectionClass {
  name: string;
  precision: Rate;
  recall: Rate;
  f1: Rate;
  tp: number;
  fp: number;
  fn: number;
}
/**
 * How often each expected label (rows) met each predicted one (columns).
 *
 *     Where rows lack a label, ``has_missing`` is true and the last name is that of a missing one.
 */
export interface Confusion {
  labels: string[];
  counts: number[][];
  has_missing: boolean;
}
/**
 * The documents by their values of one slice key; ``missing`` are those that have none.
 */
export interface SliceMetrics {
  values: {
    [k: string]: GroupMetrics;
  };
  missing?: GroupMetrics | null;
}
/**
 * The limits under which documents were read and compared, and how many documents met each.
 */
export interface LimitsMet {
  max_bytes?: number | null;
  max_unpacked?: number | null;
  max_depth?: number | null;
  max_cells?: number | null;
  met?: {
    [k: string]: number;
  };
}
/**
 * What a reader should know: which of the codes, and what it is about, as JSON.
 */
export interface Note {
  code:
    | "classes.excluded"
    | "classes.not_declared"
    | "classes.too_many"
    | "clusters.missing"
    | "fields.odd_values"
    | "input.beside_documents"
    | "input.few_matched"
    | "input.files_not_read"
    | "input.ids_alike"
    | "input.ids_in_two_forms"
    | "input.matched_by_column"
    | "input.matched_by_key"
    | "input.matched_by_position"
    | "input.often_under_key"
    | "input.read_from_text"
    | "input.sections_not_read"
    | "input.short_rows"
    | "input.under_key"
    | "lists.in_blocks"
    | "lists.paired_in_blocks"
    | "results.mixed_counts"
    | "results.several_specs"
    | "results.unknown_formats"
    | "runs.counted_one_by_one"
    | "runs.different_rules"
    | "runs.different_versions"
    | "runs.failed"
    | "runs.few_differ"
    | "runs.not_compared"
    | "runs.one_loss_undoes"
    | "runs.only_in_one"
    | "runs.other_expected_values"
    | "runs.trials"
    | "runs.without_expected"
    | "runs.without_prediction"
    | "sections.confidences_divided"
    | "sections.confidences_left_out"
    | "sections.not_paired"
    | "sections.pages_left_out"
    | "values.absent_texts"
    | "values.in_rejected_rows"
    | "values.more_of_another_shape"
    | "values.not_identical"
    | "values.of_another_shape"
    | "values.perhaps_absent"
    | "values.undeclared";
  facts?: {};
}
/**
 * How one path is compared, and where its settings came from.
 */
export interface Rule {
  path: string;
  how: string;
  threshold: number | null;
  weight: number;
  because: string;
  class?: string | null;
}
/**
 * What became of one document, or of one trial of it.
 */
export interface PageDocument {
  document: string;
  score?: number | null;
  tp?: number;
  fd?: number;
  fa?: number;
  fn?: number;
  tn?: number;
  status?: string;
  reason?: string;
  trial?: number;
  opened?: boolean;
  class?: string | null;
  sections?: PageSection[];
  slices?: {
    [k: string]: string;
  };
}
/**
 * A section of a document that has compared values; one of the wrong class is here once for each of both.
 */
export interface PageSection {
  section: string;
  class?: string | null;
  paired?: boolean;
}
/**
 * One compared value. What only one side has lacks the path and the value of the other.
 *
 *     ``expected`` and ``predicted`` are texts, or JSON where they are no texts; a length says that a text was longer.
 */
export interface PageValue {
  document: string;
  field: string;
  outcome: "absent" | "match" | "mismatch" | "missed" | "spurious";
  path?: string | null;
  predicted_path?: string | null;
  expected?: string | null;
  predicted?: string | null;
  expected_length?: number | null;
  predicted_length?: number | null;
  text_side?: ("expected" | "predicted") | null;
  accepted?: ("similar" | "written_differently") | null;
  kind?:
    | (
        | "case_or_spacing"
        | "format"
        | "invented"
        | "missing"
        | "ocr"
        | "other"
        | "row_rejected"
        | "scale"
        | "swapped_fields"
        | "truncated"
        | "wrong_row"
      )
    | null;
  raw_score?: number;
  reason?: string;
  confidence?: number | null;
  pair_score?: number | null;
  trial?: number;
  section?: string | null;
  class?: string | null;
  slices?: {
    [k: string]: string;
  };
}
/**
 * How many values of a field match from each hundredth of the threshold on, with the pairing of rows held fixed.
 *
 *     ``both`` values are on both sides; ``matches[k]`` of them match at the threshold k / 100.
 */
export interface ThresholdCurve {
  field: string;
  threshold: number;
  both: number;
  matches: number[];
}
/**
 * Everything that two runs on the same documents show.
 */
export interface RunDifference {
  paired?: true;
  finding: "better" | "equal" | "mixed" | "not_shown" | "too_few" | "undefined" | "worse";
  worse_fields: WorseField[];
  metric: ("f1" | "precision" | "recall" | "strict_f1" | "strict_recall") | ("document_macro_f1" | "exact_documents");
  confidence: number;
  different_rules: string[];
  notes: Note[];
  base: RunFacts;
  candidate: RunFacts;
  documents: Pairing;
  total: TotalDifference;
  lost_documents: LostDocuments;
  headlines: {
    [k: string]: Difference;
  };
  tested_fields: number;
  fields: {
    [k: string]: FieldDifference;
  };
  flips: Flips;
}
/**
 * A field that is clearly worse.
 */
export interface WorseField {
  path: string;
  delta: number | null;
  p: number | null;
}
/**
 * By what the numbers of a run can be traced.
 */
export interface RunFacts {
  name: string;
  document_count: number;
  trial_count: number;
  spec_fingerprint: string | null;
  scorer_version: string | null;
  unmatched: "leaves" | "objects";
}
/**
 * The documents of two runs: how many were compared, and which were not, or count as missed.
 *
 *     A document that could be compared in one run only, because the other failed at it, is compared: it counts as missed
 *     in the run that failed. So does one without a usable prediction.
 */
export interface Pairing {
  compared: number;
  trials: TrialNumbers | null;
  base_only: DocumentIds;
  candidate_only: DocumentIds;
  base_failed: DocumentIds;
  candidate_failed: DocumentIds;
  base_without_prediction: DocumentIds;
  candidate_without_prediction: DocumentIds;
  excluded: DocumentIds;
  other_expected_values: DocumentIds;
  without_expected?: DocumentIds;
  cluster_by?: string | null;
  cluster_count?: number | null;
}
/**
 * How many trials of the compared documents each run has.
 */
export interface TrialNumbers {
  base: number;
  candidate: number;
}
/**
 * How many documents, and the ids of the first of them.
 */
export interface DocumentIds {
  count?: number;
  first?: string[];
}
/**
 * All leaves together; the test swaps the runs document by document.
 */
export interface TotalDifference {
  base: Rate;
  candidate: Rate;
  delta: number | null;
  low: number | null;
  high: number | null;
  n: number;
  se: number | null;
  test: ("mcnemar" | "paired_t" | "permutation" | "sign_flip") | null;
  p: number | null;
  improved: number;
  regressed: number;
  tied: number;
  detectable: number | null;
  finding: "better" | "equal" | "mixed" | "not_shown" | "too_few" | "undefined" | "worse";
  right_values: RightValues;
}
/**
 * How many more values a run has right, less those it invents; of documents where a field has one value at most.
 *     Of several trials of a document it is the mean, and the numbers are rounded.
 *
 *     The test is McNemar's then, else that of the documents' signs. It looks at nothing else: that wrong values are
 *     left empty instead changes rates, and not this.
 */
export interface RightValues {
  lost: number;
  gained: number;
  test: "mcnemar" | "paired_t" | "permutation" | "sign_flip";
  p: number;
}
/**
 * Documents whose own rate fell by ``drop`` or more, strict F1 where the metric is no ratio of counts.
 *
 *     The bounds are Clopper and Pearson's for their share of all documents like these. ``high`` is what these documents
 *     cannot exclude: 1 - 0.025^(1/n) where none is lost.
 */
export interface LostDocuments {
  drop: number;
  count: number;
  n: number;
  low: number | null;
  high: number | null;
  unit?: "classes" | "clusters" | "documents" | "fields" | "values";
  few_differ?: boolean;
  one_undoes?: boolean;
}
/**
 * A rate of two runs, candidate less base, paired by document; what is undefined is None.
 *
 *     ``n`` documents have something to divide by in one of the runs; ``improved`` of them have a higher rate of their
 *     own, ``regressed`` a lower one. ``detectable`` is the smallest difference that so many documents with this spread
 *     show four times out of five.
 */
export interface Difference {
  base: Rate;
  candidate: Rate;
  delta: number | null;
  low: number | null;
  high: number | null;
  n: number;
  se: number | null;
  test: ("mcnemar" | "paired_t" | "permutation" | "sign_flip") | null;
  p: number | null;
  improved: number;
  regressed: number;
  tied: number;
  detectable: number | null;
  finding: "better" | "equal" | "mixed" | "not_shown" | "too_few" | "undefined" | "worse";
}
/**
 * The difference of one field. Its finding is by ``q``, which counts how many fields were looked at, or *worse*
 *     where the field is clearly worse.
 *
 *     ``p_holm`` and ``q`` (Benjamini and Hochberg) are None where so few documents differ that no test could show
 *     anything: that field is left out of both.
 */
export interface FieldDifference {
  base: Rate;
  candidate: Rate;
  delta: number | null;
  low: number | null;
  high: number | null;
  n: number;
  se: number | null;
  test: ("mcnemar" | "paired_t" | "permutation" | "sign_flip") | null;
  p: number | null;
  improved: number;
  regressed: number;
  tied: number;
  detectable: number | null;
  finding: "better" | "equal" | "mixed" | "not_shown" | "too_few" | "undefined" | "worse";
  path: string;
  scalar: boolean;
  right_values: RightValues;
  differing: number;
  p_holm?: number | null;
  q?: number | null;
  p_worse?: number | null;
  clearly_worse?: boolean;
}
/**
 * How many values flipped, in all and in each field, and some of them: of each field as there is room for.
 */
export interface Flips {
  fixed: number;
  broken: number;
  shown: Flip[];
  fields?: {
    [k: string]: FlipCounts;
  };
}
/**
 * A value that the candidate has right and the base has not (fixed), or the other way round (broken).
 *
 *     Values are texts, or JSON where they are no texts; an outcome is None where that run has no such place, a reason
 *     where the values alone decided.
 */
export interface Flip {
  direction: "broken" | "fixed";
  document: string;
  path: string;
  field: string;
  expected: string | null;
  base: string | null;
  candidate: string | null;
  base_outcome: string | null;
  candidate_outcome: string | null;
  base_reason: ("alone" | "comparator" | "row" | "type" | "undeclared") | null;
  candidate_reason: ("alone" | "comparator" | "row" | "type" | "undeclared") | null;
  base_share?: number | null;
  candidate_share?: number | null;
}
/**
 * How many values are right in one run only.
 */
export interface FlipCounts {
  fixed: number;
  broken: number;
}
/**
 * What two metrics files show. Documents are not paired: a real difference is easily overlooked.
 */
export interface UnpairedDifference {
  paired?: false;
  finding?: null;
  metric: "f1" | "precision" | "recall" | "strict_f1" | "strict_recall";
  different_rules: string[];
  base: RunFacts;
  candidate: RunFacts;
  total: UnpairedRow;
  fields: {
    [k: string]: UnpairedRow;
  };
  without_rows: string;
}
/**
 * A rate of two runs and their difference, with an interval that takes the documents for different ones.
 */
export interface UnpairedRow {
  path: string;
  base: Rate;
  candidate: Rate;
  delta: number | null;
  low: number | null;
  high: number | null;
}
/**
 * What the confidences of a run are worth, with sentences about all fields together and about each.
 */
export interface ConfidencePage {
  calibration: Calibration;
  pooled: CalibrationWords;
  fields: {
    [k: string]: CalibrationWords;
  };
}
/**
 * The calibration of a run: of all values together, and of each field that has confidences.
 *
 *     First come the fields whose ECE is shown to be more than chance, then by what it is beyond chance.
 */
export interface Calibration {
  bins: number;
  target_error: number;
  guarantee: "error" | "expectation";
  pooled: FieldCalibration;
  fields: {
    [k: string]: FieldCalibration;
  };
  without_confidences: string[];
  spec_fingerprint: string | null;
  cluster_by?: string | null;
}
/**
 * What the confidences of a field, or of all fields, are worth; None is what is undefined.
 *
 *     ``undefined`` says why. ``n`` of the predicted values carry a confidence. A right value is a match; a mismatch and
 *     a spurious value are wrong. ``missed`` values were never predicted and are in none of the figures. ``coverage`` is
 *     n / predicted, ``accuracy`` right / n, ``signed_error`` mean confidence - accuracy: above 0 is over-confident.
 *     ``ece_by_chance`` is what ECE would be on average if every confidence were true, with documents, or clusters, as
 *     units; ``ece_beyond_chance`` what it is above that, and ``ece_p`` the chance of so large an ECE if they were true.
 */
export interface FieldCalibration {
  name: string;
  documents: number;
  predicted: number;
  missed: number;
  n: number;
  right: number;
  coverage: number | null;
  accuracy: number | null;
  signed_error: number | null;
  mean_confidence: number | null;
  bins: Bin[];
  ece: number | null;
  ece_by_chance: number | null;
  ece_beyond_chance: number | null;
  ece_p: number | null;
  ece_equal_mass: number | null;
  mce: number | null;
  brier: Brier | null;
  log_loss: number | null;
  spiegelhalter_z: number | null;
  auroc: Rate | null;
  error_average_precision: number | null;
  review: Reviewed[];
  review_curve: CurvePoint[];
  review_area: number | null;
  risk_curve: CurvePoint[];
  risk_area: number | null;
  acceptance: Acceptance | null;
  undefined: {
    [k: string]: string;
  };
}
/**
 * Values of like confidence: how many, their mean confidence, and the share that is right, values as units.
 */
export interface Bin {
  low: number;
  high: number;
  count: number;
  confidence: number;
  accuracy: Rate;
}
/**
 * The mean of (confidence - right)² and its parts: score ≈ reliability - resolution + uncertainty.
 *
 *     The parts are those of bins, so equality holds up to the spread of confidences inside a bin (Murphy 1973).
 */
export interface Brier {
  score: number;
  reliability: number;
  resolution: number;
  uncertainty: number;
}
/**
 * The share of errors that reviewing a share of the values, the least confident, catches.
 */
export interface Reviewed {
  share: number;
  caught: number;
}
/**
 * A point of a curve: after the values up to ``confidence``, the share of all values and the figure they have.
 */
export interface CurvePoint {
  confidence: number;
  share: number;
  figure: number;
}
/**
 * A threshold to accept from, chosen on all documents, and how choosing on one half does on the other.
 */
export interface Acceptance {
  chosen: AcceptThreshold;
  held_out: HeldOut;
}
/**
 * Values of at least this confidence are accepted: how many, their errors, and the bound of what is promised.
 *
 *     ``n`` documents, or clusters, are behind that bound.
 */
export interface AcceptThreshold {
  threshold: number;
  accepted: number;
  errors: number;
  upper: number;
  coverage: number;
  n: number;
}
/**
 * What thresholds did on documents on which they were not chosen: each half chose one, which the other checked.
 *
 *     ``thresholds`` are those of the two halves, None where a half alone shows none. The rate is the one that is
 *     promised, with documents, or clusters, as units of its interval.
 */
export interface HeldOut {
  /**
   * @minItems 2
   * @maxItems 2
   */
  thresholds: never[];
  values: number;
  accepted: number;
  errors: number;
  error_rate: Rate;
}
/**
 * What the confidences of a field are worth, in sentences: on which side they err, and from where on to accept.
 */
export interface CalibrationWords {
  leaning: string;
  accept: string;
  bare: string;
}
/**
 * A field at many thresholds, with sentences: where strict F1 is highest, and what no threshold changes.
 */
export interface SweepPage {
  sweep: Sweep;
  best: string;
  unchanged: string;
}
/**
 * A field at many thresholds, rising, with the current one among them.
 *
 *     ``swept`` values are scored again at each threshold; ``rejected`` ones are in rows that are no pair, ``mistyped``
 *     ones are of another type than declared, and the comparator raised for ``raised`` ones. ``threshold`` and ``current``
 *     are the one of the run; ``best`` has the highest strict F1, of equals the nearest to the current one.
 *     ``difference`` is best - current. ``nearest`` are values with scores next to the current threshold, without those
 *     that are the same on both sides.
 */
export interface Sweep {
  field: string;
  comparator: string;
  threshold: number;
  documents: number;
  swept: number;
  rejected: number;
  mistyped: number;
  raised: number;
  points: SweepPoint[];
  current: number;
  best: number;
  difference: ThresholdDifference;
  scores: ScoreBin[];
  nearest: ScoredValue[];
  pairing?: "held fixed";
}
/**
 * Counts and rates of the field at a threshold; the intervals have documents as units.
 */
export interface SweepPoint {
  threshold: number;
  tp: number;
  fd: number;
  fa: number;
  fn: number;
  rates: Rates;
}
/**
 * Strict F1 at the best threshold minus that at the current one, paired by document, with its 95% interval.
 */
export interface ThresholdDifference {
  base: number | null;
  candidate: number | null;
  delta: number | null;
  low: number | null;
  high: number | null;
  n: number;
  se: number | null;
  t: number | null;
  p: number | null;
}
/**
 * How many values have a score from ``low`` to ``high``, and how many of them match at the current threshold.
 */
export interface ScoreBin {
  low: number;
  high: number;
  matches: number;
  mismatches: number;
}
/**
 * A value that both sides have, with its score.
 */
export interface ScoredValue {
  document: string;
  path: string;
  expected: string;
  predicted: string;
  score: number;
  matches: boolean;
}
/**
 * What ``fieldwise classify`` found, and rows that are shared over the cells of its matrix.
 */
export interface ClassesPage {
  classification: Classification;
  notes?: string[];
  rows?: LabelRow[];
  input?: string;
}
/**
 * What ``fieldwise classify`` says: the listed metrics by name, what they rest on, and the class report.
 */
export interface Classification {
  metrics: {
    [k: string]: {};
  };
  about: ClassificationBasis;
  report: ClassScores | null;
}
/**
 * What the metrics rest on: where labels are, who judges, the rows, metrics that failed, lines that are no rows.
 */
export interface ClassificationBasis {
  golden_key: string | null;
  predicted_key: string | null;
  judge: "correct" | "labels";
  rows: RowCounts;
  errors: {
    [k: string]: string;
  };
  unusable: UnusableRow[];
}
/**
 * What became of the rows: how many there are, were used, were left out and why, lack a label, disagree.
 *
 *     ``disagree`` counts the used rows whose flag says otherwise than their labels.
 */
export interface RowCounts {
  total: number;
  used: number;
  skipped: {
    [k: string]: number;
  };
  missing: {
    [k: string]: number;
  };
  disagree: number;
}
/**
 * A line that is no row, and why.
 */
export interface UnusableRow {
  line: number;
  reason: string;
}
/**
 * Everything that a class report says.
 *
 *     The intervals of accuracy and macro F1 have clusters as units where rows come in clusters, else rows. Their level is
 *     ``confidence``.
 */
export interface ClassScores {
  rows: RowCounts;
  keys: LabelKeys;
  judge: "correct" | "labels";
  missing: "class" | "error" | "skip";
  confidence: number;
  clusters: number | null;
  accuracy: Rate;
  averages: Averages;
  macro_f1: Rate;
  kappa: number | null;
  mcc: number | null;
  classes: ClassRow[];
  confusion_matrix: Confusion;
}
/**
 * The keys of the rows' two sides that hold the class; None where labels were given without rows.
 */
export interface LabelKeys {
  golden: string | null;
  predicted: string | null;
}
/**
 * The rates of the sums, the mean of the classes' rates, and their mean by support.
 */
export interface Averages {
  micro: Average;
  macro: Average;
  weighted: Average;
}
/**
 * Precision, recall and F1 over all classes, and for how many classes each is undefined.
 */
export interface Average {
  precision: number | null;
  recall: number | null;
  f1: number | null;
  undefined?: UndefinedRates;
}
/**
 * For how many classes each rate is undefined.
 */
export interface UndefinedRates {
  precision: number;
  recall: number;
  f1: number;
}
/**
 * The rates and counts of one class; the value of a rate is None where nothing was there to divide by.
 *
 *     ``label`` is as JSON writes it, and ``type`` is its type there. The intervals of precision and recall are Wilson's,
 *     which takes rows as independent; where rows come in clusters, their units are the clusters that have the class.
 */
export interface ClassRow {
  label: unknown;
  type: string;
  name: string;
  precision: Rate;
  recall: Rate;
  f1: number | null;
  support: number;
  predicted: number;
  tp: number;
  fp: number;
  fn: number;
  tn: number;
}
/**
 * A row of labels, by its line and the places of both labels in the matrix; the sides in full where they hold
 *     more, and metadata, both as JSON.
 */
export interface LabelRow {
  line: number;
  expected: number;
  predicted: number;
  is_right: boolean;
  golden?: string;
  answer?: string;
  metadata?: string;
}
/**
 * Compared values: those that have one of the fields, one of the outcomes and so on.
 *
 *     The set is those that are wrong, matches that are *accepted* though not identical, or all. A field may be an object
 *     or a list, whose fields are meant then, and a kind is one of errors or a way of being accepted. ``find`` is a text
 *     in the path, the document or a value, whatever its letter case.
 *     The order is worst first by default: values of the field that loses most points, or accepted ones that are least
 *     alike; ``field`` is by field, outcome, document and path. All values stand as the run has its documents.
 */
export interface ValueQuestion {
  set?: "accepted" | "all" | "wrong";
  fields?: string[];
  outcomes?: string[];
  kinds?: string[];
  documents?: string[];
  trial?: number | null;
  sections?: string[];
  classes?: string[];
  slices?: Slice[];
  find?: string;
  order?: ("document" | "field" | "path" | "worst") | null;
  first?: number;
  after?: string | null;
}
/**
 * A slice key and one of its values; null are the documents that have none.
 */
export interface Slice {
  key: string;
  value: string | null;
}
/**
 * Documents by a part of their ids, by classes, which may be those of their sections, and by slices.
 */
export interface DocumentQuestion {
  find?: string;
  classes?: string[];
  slices?: Slice[];
  order?: "best" | "id" | "worst";
  first?: number;
  after?: string | null;
}
/**
 * One document, or one trial of it.
 */
export interface DocumentKey {
  document: string;
  trial?: number;
}
/**
 * Sections by their classes, as the matrix names them; null is no section. Without both classes, wrong ones.
 */
export interface SectionQuestion {
  expected?: string | null;
  predicted?: string | null;
  first?: number;
  after?: string | null;
}
/**
 * Rows of labels by the places of both in the matrix.
 */
export interface LabelQuestion {
  expected?: number | null;
  predicted?: number | null;
  right?: boolean | null;
  find?: string;
  first?: number;
  after?: string | null;
}
/**
 * Some of the values that are asked for.
 */
export interface ValuePage {
  next: string | null;
  held: number;
  total: number | null;
  rows: PageValue[];
}
/**
 * Some of the documents that are asked for.
 */
export interface DocumentPage {
  next: string | null;
  held: number;
  total: number | null;
  rows: PageDocument[];
}
/**
 * A document with all its values, null where they are not at hand.
 *
 *     ``previous`` and ``next`` are its neighbours among the documents that have something wrong, worst first.
 */
export interface DocumentAnswer {
  document: PageDocument;
  values: PageValue[] | null;
  previous: DocumentKey | null;
  next: DocumentKey | null;
}
/**
 * Some of the sections that are asked for.
 */
export interface SectionPage {
  next: string | null;
  held: number;
  total: number | null;
  rows: SectionRow[];
}
/**
 * A section; one whose class is right has no more to say than where it is.
 */
export interface SectionRow {
  document: string;
  section: string;
  trial?: number | null;
  error?: ClassificationError | null;
}
/**
 * Some of the rows of labels that are asked for.
 */
export interface LabelPage {
  next: string | null;
  held: number;
  total: number | null;
  rows: LabelRow[];
}
