/** How many values of a run a question means, from its sums: the file holds some of them only. */
import type { ValueQuestion } from "./interface";
import type { ErrorKindCounts, FieldMetrics, PageDocument, RunPage } from "./types";

const COUNTS = { mismatch: "fd", missed: "fn", spurious: "fa" } as const;
type Wrong = keyof typeof COUNTS;

export function totalOf(question: ValueQuestion, run: RunPage): number | null {
  if (question.find) return null;
  const outcomes = (question.outcomes?.length ? question.outcomes : Object.keys(COUNTS)) as Wrong[];
  if (question.document !== undefined) return inDocument(question, outcomes, run);
  const fields = leaves(run).filter(([name]) => !question.field || isWithin(name, question.field));
  if (question.set === "accepted") return sum(fields.map(([, row]) => accepted(row, question.kind)));
  if (!question.kind) return sum(fields.map(([, row]) => sum(outcomes.map((outcome) => row[COUNTS[outcome]]))));
  if (question.outcomes?.length || !run.metrics.error_kinds) return null;
  return ofKind(
    run.metrics.error_kinds,
    question.kind,
    fields.map(([name]) => name),
  );
}

/** Whether a field is the named one, or inside it. */
export function isWithin(field: string, name: string): boolean {
  return field === name || field.startsWith(`${name}.`) || field.startsWith(`${name}[`);
}

function leaves(run: RunPage): [string, FieldMetrics][] {
  return Object.entries(run.metrics.fields).filter(([, row]) => isLeaf(row));
}

export function isLeaf(row: FieldMetrics): boolean {
  return (row.scope ?? "values") === "values" || row.scope === "undeclared";
}

function accepted(row: FieldMetrics, kind: string | undefined): number {
  const written = kind === "similar" ? 0 : (row.written_differently ?? 0);
  return written + (kind === "written_differently" ? 0 : (row.similar ?? 0));
}

function ofKind(counts: ErrorKindCounts, kind: string, fields: string[]): number {
  return sum(fields.map((name) => (counts.fields[name] as Record<string, number> | undefined)?.[kind] ?? 0));
}

function inDocument(question: ValueQuestion, outcomes: Wrong[], run: RunPage): number | null {
  if (question.field || question.kind || question.set === "accepted") return null;
  const rows = (run.documents ?? []).filter((row) => row.document === question.document);
  return sum(rows.map((row: PageDocument) => sum(outcomes.map((outcome) => row[COUNTS[outcome]] ?? 0))));
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
