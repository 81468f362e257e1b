/** How many values of a run a question means, from its sums: the file holds some of them only. */

import { WORDS } from "../format/words";
import { hasTrials } from "./documents";
import { type Group, groupOf, isCounted, isLeaf } from "./groups";
import { own } from "./own";
import { pathOf } from "./paths";
import type { DocumentQuestion, FieldMetrics, RunPage, ValueQuestion } from "./types";

const WRONG = ["mismatch", "missed", "spurious"] as const;

/** What is known of a run without its rows: its sums, and what became of each document where these are known. */
export type Known = Pick<RunPage, "metrics" | "counts_only" | "documents">;

export function totalOf(question: ValueQuestion, run: Known): number | null {
  if (question.documents?.length) return inDocuments(question, run);
  const counts = countsOf(question, run)?.filter(([name]) => isOfField(name, question));
  return counts ? sum(counts.map(([, n]) => n)) : null;
}

/** How many values a question means within each field, object and list; null where sums don't tell. */
export function totalsWithin(question: ValueQuestion, run: Known): Map<string, number> | null {
  const counts = !question.documents?.length ? countsOf(question, run) : null;
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
  const { set, kinds = [], outcomes = [], sections = [] } = question;
  if (run.counts_only || question.find || sections.length || typeof question.trial === "number") return null;
  const held = leaves(run, question);
  if (!held) return null;
  if (set === "accepted") return held.map(([name, row]) => [name, accepted(row, kinds)]);
  if (!kinds.length) return held.map(([name, row]) => [name, wrongIn(row, outcomes)]);
  const counted = run.metrics.error_kinds?.fields;
  if (!counted || isNarrowed(question) || outcomes.length) return null;
  const ofKinds = (of: Record<string, number>) => sum(kinds.map((kind) => own(of, kind) ?? 0));
  return held.map(([name]) => [name, ofKinds(own<Record<string, number>>(counted, pathOf(name)) ?? {})]);
}

/** The values of a field or a document that are wrong in one of some ways, or in any. */
function wrongIn(row: Partial<Pick<FieldMetrics, "fd" | "fn" | "fa">>, outcomes: readonly string[]): number {
  const named = WRONG.filter((outcome) => !outcomes.length || outcomes.includes(outcome));
  return sum(named.map((outcome) => row[WORDS.outcomes[outcome].count as "fd"] ?? 0));
}

/** Whether a row has one of some names, or whatever it has where none is named. */
export function isAny(name: string | null | undefined, names: readonly string[] = []): boolean {
  return !names.length || (typeof name === "string" && names.includes(name));
}

/** Whether a row is of the documents and the trial that a question is about. */
export function isOfDocument(
  row: { document: string; trial?: number },
  { documents, trial }: Pick<ValueQuestion, "documents" | "trial">,
): boolean {
  return isAny(row.document, documents) && (typeof trial !== "number" || (row.trial ?? 1) === trial);
}

/** Whether a field is one of those that a question is about, or inside of one. */
export function isOfField(field: string, { fields = [] }: Pick<ValueQuestion, "fields">): boolean {
  return !fields.length || fields.some((name) => isWithin(field, name));
}

/** Whether a field is the named one, or inside it; the key of a row beside another means what is at its path alone. */
export function isWithin(field: string, name: string): boolean {
  const [path, named] = [pathOf(field), pathOf(name)];
  return path === named || (named === name && (path.startsWith(`${name}.`) || path.startsWith(`${name}[`)));
}

function isNarrowed({ classes = [], slices = [] }: Group): boolean {
  return classes.length + slices.length > 0;
}

/** The fields of what a question is about; null where sums don't tell: a class within a slice. */
function leaves(run: Known, question: Group): [string, FieldMetrics][] | null {
  if (!isCounted(question)) return null;
  const { fields } = groupOf(run.metrics, question) ?? { fields: {} };
  return Object.entries(fields).filter(([, row]) => isLeaf(row));
}

/** Whether a value or a document is of the classes and the slices that a question is about. */
export function isOfGroup(
  row: { slices?: Record<string, string> },
  classes: readonly (string | null)[],
  { classes: names = [], slices = [] }: Group,
): boolean {
  const isOfSlice = !slices.length || slices.some(({ key, value }) => own(row.slices ?? {}, key) === value);
  return isOfSlice && (!names.length || classes.some((name) => name !== null && names.includes(name)));
}

export function documentTotal(
  question: DocumentQuestion,
  run: Pick<RunPage, "metrics" | "document_total">,
): number | null {
  if (question.find || !isCounted(question)) return null;
  if (!isNarrowed(question)) return run.document_total ?? 0;
  if (hasTrials(run.metrics)) return null;
  return groupOf(run.metrics, question)?.document_count ?? null;
}

function accepted(row: FieldMetrics, kinds: readonly string[]): number {
  const counts = { written_differently: row.written_differently ?? 0, similar: row.similar ?? 0 };
  const named = kinds.length ? kinds : Object.keys(counts);
  return sum(named.map((kind) => own<number>(counts, kind) ?? 0));
}

function inDocuments(question: ValueQuestion, run: Known): number | null {
  const { fields = [], kinds = [], set, find, sections = [], outcomes = [] } = question;
  if (run.counts_only || isNarrowed(question) || find || set === "accepted" || !run.documents) return null;
  if (fields.length + kinds.length + sections.length) return null;
  return sum(run.documents.filter((row) => isOfDocument(row, question)).map((row) => wrongIn(row, outcomes)));
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
