/** How many values of a run a question means, from its sums: the file holds some of them only. */

import { hasTrials } from "./documents";
import { groupOf, isLeaf, type Slice } from "./groups";
import type { DocumentQuestion, ValueQuestion } from "./interface";
import { own } from "./own";
import { pathOf } from "./paths";
import type { FieldMetrics, RunPage } from "./types";

const COUNTS: Readonly<Record<string, "fd" | "fn" | "fa">> = { mismatch: "fd", missed: "fn", spurious: "fa" };

/** What is known of a run without its rows: its sums, and what became of each document where these are known. */
export type Known = Pick<RunPage, "metrics" | "counts_only" | "documents">;

export function totalOf(question: ValueQuestion, run: Known): number | null {
  if (question.document !== undefined) return inDocument(question, run);
  const { field } = question;
  const counts = countsOf(question, run)?.filter(([name]) => !field || isWithin(name, field));
  return counts ? sum(counts.map(([, n]) => n)) : null;
}

/** How many values a question means within each field, object and list; null where sums don't tell. */
export function totalsWithin(question: ValueQuestion, run: Known): Map<string, number> | null {
  const counts = question.document === undefined ? countsOf(question, run) : null;
  if (!counts) return null;
  const found = new Map<string, number>();
  for (const [key, n] of counts) {
    const path = pathOf(key);
    for (const name of new Set([...parentsOf(path), path, key])) found.set(name, (found.get(name) ?? 0) + n);
  }
  return found;
}

function parentsOf(name: string): string[] {
  return [...name.matchAll(/[.[]/g)].map((mark) => name.slice(0, mark.index));
}

/** How many values of each field a question means, whatever field it names; null where sums don't tell. */
function countsOf(question: ValueQuestion, run: Known): [string, number][] | null {
  const { set, kind, outcomes = [] } = question;
  const isNarrowed = question.class !== undefined || !!question.slice;
  if (run.counts_only || question.find || question.section !== undefined || question.trial !== undefined) return null;
  const held = leaves(run, question);
  if (!held) return null;
  if (set === "accepted") return held.map(([name, row]) => [name, accepted(row, kind)]);
  if (!kind) return held.map(([name, row]) => [name, wrongIn(row, outcomes)]);
  const kinds = run.metrics.error_kinds;
  if (!kinds || isNarrowed || outcomes.length) return null;
  return held.map(([name]) => [name, own(own<Record<string, number>>(kinds.fields, pathOf(name)) ?? {}, kind) ?? 0]);
}

/** The values of a field or a document that are wrong in one of some ways, or in any. */
function wrongIn(row: Partial<Pick<FieldMetrics, "fd" | "fn" | "fa">>, outcomes: readonly string[]): number {
  const named = outcomes.length ? outcomes : Object.keys(COUNTS);
  return sum(
    named.map((outcome) => {
      const key = own(COUNTS, outcome);
      return (key && row[key]) ?? 0;
    }),
  );
}

/** Whether a row is of the document and the trial that a question is about. */
export function isOfDocument(
  row: { document: string; trial?: number },
  { document, trial }: { document?: string | undefined; trial?: number | undefined },
): boolean {
  return (document === undefined || row.document === document) && (trial === undefined || (row.trial ?? 1) === trial);
}

/** Whether a field is the named one, or inside it; the key of a row beside another means what is at its path alone. */
export function isWithin(field: string, name: string): boolean {
  const [path, named] = [pathOf(field), pathOf(name)];
  return path === named || (named === name && (path.startsWith(`${name}.`) || path.startsWith(`${name}[`)));
}

interface Narrowed {
  class?: string | undefined;
  slice?: Slice | undefined;
}

/** The fields of what a question is about; null where sums don't tell: a class within a slice. */
function leaves(run: Known, question: Narrowed): [string, FieldMetrics][] | null {
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

export function documentTotal(
  question: Omit<DocumentQuestion, "first">,
  run: Pick<RunPage, "metrics" | "document_total">,
): number | null {
  const { class: name, slice, find } = question;
  const all = run.document_total ?? 0;
  if (find || (name !== undefined && slice)) return null;
  if (name === undefined && !slice) return all;
  if (hasTrials(run.metrics)) return null;
  return groupOf(run.metrics, { class: name, slice })?.document_count ?? null;
}

function accepted(row: FieldMetrics, kind: string | undefined): number {
  const counts = { written_differently: row.written_differently ?? 0, similar: row.similar ?? 0 };
  return kind ? (own<number>(counts, kind) ?? 0) : counts.written_differently + counts.similar;
}

function inDocument(question: ValueQuestion, run: Known): number | null {
  const { field, kind, set, find, section, outcomes = [] } = question;
  const isNarrowed = question.class !== undefined || !!question.slice || section !== undefined || !!find;
  if (run.counts_only || isNarrowed || field || kind || set === "accepted" || !run.documents) return null;
  return sum(run.documents.filter((row) => isOfDocument(row, question)).map((row) => wrongIn(row, outcomes)));
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
