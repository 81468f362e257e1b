/** Sections and rows of labels by the cells of a confusion matrix. */

import { columnSum, countAt, rowSum } from "./matrix";
import type {
  Classification,
  ClassificationError,
  LabelQuestion,
  LabelRow,
  Metrics,
  PageDocument,
  SectionQuestion,
  SectionRow,
} from "./types";

/** Lists the sections of a cell: those that are right from the documents, others from the classification errors. */
export function sectionsOf(metrics: Metrics, documents: PageDocument[], question: SectionQuestion): SectionRow[] {
  const { expected, predicted } = question;
  if (typeof expected === "string" && expected === predicted) {
    return documents.flatMap((row) =>
      (row.sections ?? [])
        .filter((section) => (section.paired ?? true) && isSame(section.class, expected))
        .map(({ section }) => ({ document: row.document, trial: row.trial ?? 1, section })),
    );
  }
  const errors: ClassificationError[] = metrics.sections?.classification_errors ?? [];
  return errors
    .filter((error) => isSide(error, "expected", expected) && isSide(error, "predicted", predicted))
    .map((error) => ({ document: error.doc_id, section: error.section_id, error }));
}

function isSide(
  error: ClassificationError,
  side: "expected" | "predicted",
  wanted: string | null | undefined,
): boolean {
  if (wanted === undefined) return true;
  if (wanted === null) return error.kind === (side === "expected" ? "extra" : "lost");
  return isSame(error[`${side}_class`], wanted);
}

/** Whether two names are of one class: letter case does not matter. */
function isSame(name: string | null | undefined, other: string): boolean {
  return name?.toLowerCase() === other.toLowerCase();
}

export function sectionTotal(metrics: Metrics, { expected, predicted }: SectionQuestion): number | null {
  const { confusion_matrix: matrix, wrong_class = 0, lost = 0, extra = 0 } = metrics.sections ?? {};
  if (!matrix) return null;
  const place = (name: string | null) => (name === null ? matrix.labels.length - 1 : matrix.labels.indexOf(name));
  if (expected !== undefined && predicted !== undefined) return countAt(matrix, place(expected), place(predicted));
  if (expected === undefined && predicted === undefined) return wrong_class + lost + extra;
  const at = place(expected === undefined ? (predicted as string | null) : expected);
  return (expected === undefined ? columnSum(matrix, at) : rowSum(matrix, at)) - countAt(matrix, at, at);
}

/** Whether a value is the one that is asked for, if any is. */
function isOr<Value>(asked: Value | null | undefined, value: Value): boolean {
  return asked === undefined || asked === null || asked === value;
}

export function foundRows(rows: LabelRow[], question: LabelQuestion): LabelRow[] {
  const { expected, predicted, right } = question;
  const find = question.find?.toLowerCase() ?? "";
  return rows.filter(
    (row) =>
      isOr(expected, row.expected) &&
      isOr(predicted, row.predicted) &&
      isOr(right, row.is_right) &&
      [row.golden, row.answer, row.metadata].join("\n").toLowerCase().includes(find),
  );
}

/** How many rows a question means, from the matrix; null where it does not tell. */
export function rowTotal({ report }: Classification, question: LabelQuestion): number | null {
  const { right, find } = question;
  const [expected, predicted] = [question.expected ?? undefined, question.predicted ?? undefined];
  if (!report || find) return null;
  const { confusion_matrix: matrix, rows, accuracy } = report;
  if (typeof right === "boolean") {
    if (expected !== undefined || predicted !== undefined) return null;
    const all = Math.round((accuracy.value ?? 0) * rows.used);
    return right ? all : rows.used - all;
  }
  if (expected !== undefined && predicted !== undefined) return countAt(matrix, expected, predicted);
  if (expected !== undefined) return rowSum(matrix, expected);
  return predicted !== undefined ? columnSum(matrix, predicted) : rows.used;
}
