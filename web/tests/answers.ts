/** A small run: three documents, a list whose rows were swapped, one accepted value. */
import type { FieldMetrics, PageAnswers, PageValue, Rate } from "../src/data/types";

const NOTHING: Rate = { value: null };

export function counts(tp: number, fd: number, fa: number, fn: number, more: Partial<FieldMetrics> = {}): FieldMetrics {
  const bottom = 2 * tp + 2 * fd + fa + fn;
  const f1 = bottom ? (2 * tp) / bottom : null;
  const strict: Rate = { value: f1, low: f1 && f1 / 2, high: f1, n: 3 };
  return {
    ...{ tp, fd, fa, fn, tn: 0, fp: fd + fa },
    ...{ precision: 0, recall: 0, f1: 0, accuracy: 0, strict_recall: 0, strict_f1: f1 ?? 0 },
    rates: { precision: NOTHING, recall: NOTHING, strict_recall: NOTHING, f1: NOTHING, strict_f1: strict },
    ...more,
  };
}

export function value(
  document: string,
  field: string,
  outcome: PageValue["outcome"],
  more: Partial<PageValue> = {},
): PageValue {
  return { document, field, outcome, path: field, predicted_path: field, ...more };
}

const ERRORS = [
  value("a", "total", "mismatch", { expected: "12.50", predicted: "12.80", kind: "ocr", raw_score: 0.4 }),
  value("a", "rows.sku", "missed", { path: "rows[0].sku", expected: "X1", kind: "missing" }),
  value("b", "total", "mismatch", { expected: "7", predicted: "1", kind: "ocr", raw_score: 0 }),
  value("b", "note", "spurious", { predicted: "hello", kind: "invented" }),
];

export const ANSWERS: PageAnswers = {
  title: "Three invoices",
  facts: { input: "three files" },
  run: {
    metrics: {
      aggregate: counts(3, 4, 1, 1, { scope: "total" }),
      document_count: 3,
      overall: counts(3, 4, 1, 1),
      fields: {
        total: counts(1, 4, 0, 0),
        "rows.sku": counts(2, 0, 0, 1, { similar: 1 }),
        note: counts(0, 0, 1, 0),
        rows: counts(2, 0, 0, 1, { scope: "rows" }),
        never: counts(0, 0, 0, 0),
      },
      error_kinds: { total: { ocr: 4 }, fields: { total: { ocr: 4 } } },
    },
    rules: [{ path: "total", how: "number", threshold: 0.95, weight: 2, because: "inferred" }],
    documents: [
      { document: "a", score: 0.2, tp: 1, fd: 1, fn: 1, opened: true },
      { document: "b", score: 0.5, fd: 1, fa: 1 },
      { document: "c", score: 1, tp: 2 },
    ],
    document_total: 3,
    errors: ERRORS,
    accepted: [
      value("c", "rows.sku", "match", { expected: "X 2", predicted: "X2", accepted: "similar", raw_score: 0.9 }),
    ],
    values: [
      ...ERRORS.slice(0, 2),
      value("a", "rows.sku", "match", { path: "rows[1].sku", predicted_path: "rows[0].sku" }),
    ],
    curves: [
      { field: "total", threshold: 0.95, both: 5, matches: Array.from({ length: 101 }, (_, k) => (k > 40 ? 1 : 2)) },
    ],
    has_rows: true,
  },
};
