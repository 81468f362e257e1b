/** What errors can be narrowed to; each option says how many values it would list, where sums tell. */
import type { SelectProps } from "@cloudscape-design/components/select";
import { isLeaf } from "../data/groups";
import type { Summary } from "../data/interface";
import { pathOf } from "../data/paths";
import { type Known, totalOf, totalsWithin } from "../data/totals";
import { count } from "../format/numbers";
import { plainPath } from "../format/text";
import { acceptedWord, kindOf, outcomeOf, WORDS } from "../format/words";
import { tagged } from "../parts/Filter";
import { questionOf } from "./question";

export type Chosen = Readonly<Record<string, string | undefined>>;

const OUTCOMES = [["mismatch"], ["missed"], ["spurious"], ["mismatch", "spurious"]];

/** What is chosen otherwise with an outcome: kinds of errors and of accepted values are not the same. */
export function withOutcome(now: Chosen, outcome: string): Record<string, string | undefined> {
  if (outcome === "accepted") return { set: "accepted", outcome: undefined, kind: undefined };
  return { set: undefined, outcome, kind: now.set === "accepted" ? undefined : now.kind };
}

/** How many values are listed with another choice, written; undefined where sums don't tell. */
export function tagOf(sums: Summary, now: Chosen, more: Chosen): string | undefined {
  const total = totalOf(questionOf({ ...now, ...more }), knownOf(sums));
  return total === null ? undefined : count(total);
}

function knownOf({ metrics, countsOnly }: Summary): Known {
  return { metrics, counts_only: countsOnly };
}

export function outcomes(sums: Summary, now: Chosen): SelectProps.Option[] {
  const option = (value: string, label: string, description?: string) => ({
    ...{ value, label, ...(description ? { description } : {}) },
    ...tagged(tagOf(sums, now, withOutcome(now, value))),
  });
  const named = (names: string[]) =>
    option(names.join(","), names.map((name) => `${outcomeOf(name).symbol} ${outcomeOf(name).word}`).join(" or "));
  return [
    option("", "All errors"),
    ...OUTCOMES.map(named),
    option("accepted", "≈ accepted", "matches that are not identical"),
  ];
}

/** The fields that have such values; where sums don't tell, those that have any of the outcome. */
export function fields(sums: Summary, now: Chosen): SelectProps.Option[] {
  const { set, outcome, field } = now;
  const known = totalsWithin(questionOf(now), knownOf(sums));
  const likely = known ?? totalsWithin(questionOf({ set, outcome }), knownOf(sums));
  const found = Object.entries(sums.metrics.fields)
    .filter(([key, row]) => key === field || (isLeaf(row) && (likely?.get(key) ?? 1) > 0))
    .map(([key, row]) => ({
      value: key,
      label:
        isLeaf(row) && pathOf(key) !== key ? `${plainPath(pathOf(key))}, ${WORDS.scopes.other_kind}` : plainPath(key),
      ...tagged(known ? count(known.get(key) ?? 0) : undefined),
    }));
  return [{ value: "", label: "All fields" }, ...found.toSorted((a, b) => a.label.localeCompare(b.label))];
}

export function kinds(sums: Summary, now: Chosen): SelectProps.Option[] {
  const found = Object.keys(sums.metrics.error_kinds?.total ?? {})
    .map((kind) => ({ kind, tag: tagOf(sums, now, { kind }) }))
    .filter(({ kind, tag }) => tag !== "0" || kind === now.kind)
    .map(({ kind, tag }) => ({
      ...{ value: kind, label: kindOf(kind).word, description: kindOf(kind).meaning, ...tagged(tag) },
    }));
  return [{ value: "", label: "All kinds" }, ...found];
}

export function accepted(sums: Summary, now: Chosen): SelectProps.Option[] {
  const found = Object.keys(WORDS.accepted).map((kind) => ({
    ...{ value: kind, label: acceptedWord(kind), ...tagged(tagOf(sums, now, { kind })) },
  }));
  return [{ value: "", label: "Either" }, ...found];
}
