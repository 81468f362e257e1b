/** What errors cost: weight times wrong values, by which fields and values are worst first. */
import { groupOf, isCounted, isLeaf } from "./groups";
import { byCode, byDocument, byText } from "./order";
import { pathOf } from "./paths";
import type { FieldMetrics, Metrics, PageValue, Rule, ValueQuestion } from "./types";

/** The weight of each field; the rules of a class come before those of all. */
export function weightsOf(rules: readonly Rule[], ofClass?: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const rule of rules) {
    if (rule.class === ofClass || !weights.has(rule.path)) weights.set(rule.path, rule.weight);
  }
  return weights;
}

/** Points that a field loses; rows of lists and objects as one are no values, and lose none. */
export function lostPoints(row: FieldMetrics, weight: number): number {
  return isLeaf(row) ? weight * (row.fd + row.fa + row.fn) : 0;
}

interface Run {
  metrics: Metrics;
  rules?: readonly Rule[];
}

/** Puts values in the order that is asked for; equals stay as they are. */
export function orderValues(rows: readonly PageValue[], question: ValueQuestion, run: Run): PageValue[] {
  const { set } = question;
  const order = question.order ?? "worst";
  if (order === "path") return rows.toSorted((a, b) => byText(placeOf(a), placeOf(b)));
  if (order === "document") return rows.toSorted(byDocument);
  return set === "accepted" ? rows.toSorted((a, b) => scoreOf(a) - scoreOf(b)) : byLost(rows, question, run);
}

/** Values of the field that loses most come first; a class or a slice has its own losses. */
function byLost(rows: readonly PageValue[], question: ValueQuestion, { metrics, rules = [] }: Run): PageValue[] {
  const { fields } = groupOf(metrics, question) ?? metrics;
  const weights = weightsOf(rules, isCounted(question) ? question.classes?.[0] : undefined);
  const lost = new Map<string, number>();
  for (const [key, row] of Object.entries(fields)) {
    const path = pathOf(key);
    lost.set(path, (lost.get(path) ?? 0) + lostPoints(row, weights.get(path) ?? 1));
  }
  const of = (row: PageValue) => lost.get(row.field) ?? 0;
  return rows.toSorted((a, b) => of(b) - of(a) || byCode(a.field, b.field));
}

function scoreOf(row: PageValue): number {
  return row.raw_score ?? 1;
}

function placeOf(row: PageValue): string {
  return row.path ?? row.predicted_path ?? row.field;
}
