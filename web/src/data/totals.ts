/** How many values of a run a question means, from its sums: the file holds some of them only. */

import { hasTrials } from "./documents";
import { groupOf, isLeaf, type Slice } from "./groups";
import type { DocumentQuestion, ValueQuestion } from "./interface";
import type { ErrorKindCounts, FieldMetrics, PageDocument, RunPage } from "./types";

const COUNTS = { mismatch: "fd", missed: "fn", spurious: "fa" } as const;
type Wrong = keyof typeof COUNTS;

export function totalOf(question: ValueQuestion, run: RunPage): number | null {
  const isNarrowed = question.class !== undefined || !!question.slice;
  if (run.counts_only || question.find || question.section !== undefined) return null;
  if (question.trial !== undefined && question.document === undefined) return null;
  if (isNarrowed && (question.document !== undefined || question.kind)) return null;
  const outcomes = (question.outcomes?.length ? question.outcomes : Object.keys(COUNTS)) as Wrong[];
  if (question.document !== undefined) return inDocument(question, outcomes, run);
  const held = leaves(run, question);
  if (!held) return null;
  const fields = held.filter(([name]) => !question.field || isWithin(name, question.field));
  if (question.set === "accepted") return sum(fields.map(([, row]) => accepted(row, question.kind)));
  if (!question.kind) return sum(fields.map(([, row]) => sum(outcomes.map((outcome) => row[COUNTS[outcome]]))));
  if (question.outcomes?.length || !run.metrics.error_kinds) return null;
  return ofKind(
    run.metrics.error_kinds,
    question.kind,
    fields.map(([name]) => name),
  );
}

/** Whether a row is of the document and the trial that a question is about. */
export function isOfDocument(
  row: { document: string; trial?: number },
  { document, trial }: { document?: string | undefined; trial?: number | undefined },
): boolean {
  return (document === undefined || row.document === document) && (trial === undefined || (row.trial ?? 1) === trial);
}

/** Whether a field is the named one, or inside it. */
export function isWithin(field: string, name: string): boolean {
  return field === name || field.startsWith(`${name}.`) || field.startsWith(`${name}[`);
}

interface Narrowed {
  class?: string | undefined;
  slice?: Slice | undefined;
}

/** The fields of what a question is about; null where sums don't tell: a class within a slice. */
function leaves(run: RunPage, question: Narrowed): [string, FieldMetrics][] | null {
  const { class: name, slice } = question;
  if (name !== undefined && slice) return null;
  const isWhole = name === undefined && !slice;
  const group = groupOf(run.metrics, { class: name, slice });
  const { fields } = isWhole ? run.metrics : (group ?? { fields: {} });
  return Object.entries(fields).filter(([, row]) => isLeaf(row));
}

/** Whether a value or a document is of the class and the slice that a question is about. */
export function isOfGroup(
  row: { slices?: Record<string, string> },
  classes: readonly (string | null)[],
  { class: name, slice }: Narrowed,
): boolean {
  const held = slice && Object.hasOwn(row.slices ?? {}, slice.key) ? row.slices?.[slice.key] : undefined;
  return (name === undefined || classes.includes(name)) && (!slice || (held ?? null) === slice.value);
}

export function documentTotal(question: DocumentQuestion, run: RunPage): number | null {
  const { class: name, slice, find } = question;
  const all = run.document_total ?? 0;
  if (find || (name !== undefined && slice)) return null;
  if (name === undefined && !slice) return all;
  if (hasTrials(run.metrics)) return null;
  return groupOf(run.metrics, { class: name, slice })?.document_count ?? null;
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
  const rows = (run.documents ?? []).filter((row) => isOfDocument(row, question));
  return sum(rows.map((row: PageDocument) => sum(outcomes.map((outcome) => row[COUNTS[outcome]] ?? 0))));
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
