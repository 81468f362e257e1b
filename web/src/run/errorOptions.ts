/** What errors can be narrowed to, with how many there are of each. */
import type { SelectProps } from "@cloudscape-design/components/select";
import { groupOf, isLeaf, type Sums, totalOfGroup } from "../data/groups";
import type { Metrics } from "../data/types";
import { count } from "../format/numbers";
import { plain } from "../format/text";
import { acceptedWord, kindOf, outcomeOf, WORDS } from "../format/words";
import { chosenGroup } from "./GroupFilters";

/** What is counted of the class or slice that is chosen; no total where sums don't tell: a class within a slice. */
export interface Counts {
  total: Sums | null;
  fields: Metrics["fields"];
  isWhole: boolean;
}

export function countsOf(metrics: Metrics, now: Readonly<Record<string, string | undefined>>): Counts {
  const group = chosenGroup(now);
  const isWhole = group.class === undefined && !group.slice;
  const found = isWhole ? metrics : (groupOf(metrics, group) ?? { fields: {} });
  const isBoth = group.class !== undefined && !!group.slice;
  return { total: isBoth ? null : totalOfGroup(found), fields: found.fields, isWhole };
}

function tagged(n: number | null): { labelTag?: string } {
  return n === null ? {} : { labelTag: count(n) };
}

export function outcomes({ total }: Counts): SelectProps.Option[] {
  const of = (...keys: ("fd" | "fa" | "fn")[]) => (total ? keys.reduce((sum, key) => sum + total[key], 0) : null);
  const near = total ? (total.written_differently ?? 0) + (total.similar ?? 0) : null;
  const named = (names: string[], n: number | null) => ({
    value: names.join(","),
    label: names.map((name) => `${outcomeOf(name).symbol} ${outcomeOf(name).word}`).join(" or "),
    ...tagged(n),
  });
  return [
    { value: "", label: "All errors", ...tagged(of("fd", "fa", "fn")) },
    named(["mismatch"], of("fd")),
    named(["missed"], of("fn")),
    named(["spurious"], of("fa")),
    named(["mismatch", "spurious"], of("fd", "fa")),
    { value: "accepted", label: "≈ accepted", description: "matches that are not identical", ...tagged(near) },
  ];
}

export function fields(counts: Counts, chosen: string | undefined, isAccepted: boolean): SelectProps.Option[] {
  const size = (row: Metrics["fields"][string]) =>
    isAccepted ? (row.written_differently ?? 0) + (row.similar ?? 0) : row.fd + row.fa + row.fn;
  const found = Object.entries(counts.fields)
    .filter(([path, row]) => path === chosen || (isLeaf(row) && size(row) > 0))
    .map(([path, row]) => ({
      ...{ value: path, label: plain(path), ...tagged(counts.total && isLeaf(row) ? size(row) : null) },
    }));
  return [{ value: "", label: "All fields" }, ...found.toSorted((a, b) => a.label.localeCompare(b.label))];
}

export function kinds({ isWhole }: Counts, metrics: Metrics, field: string | undefined): SelectProps.Option[] {
  const held = field ? metrics.error_kinds?.fields[field] : undefined;
  const counts = (held ?? metrics.error_kinds?.total ?? {}) as Record<string, number>;
  const found = Object.entries(counts).map(([kind, n]) => ({
    ...{ value: kind, label: kindOf(kind).word, description: kindOf(kind).meaning, ...tagged(isWhole ? n : null) },
  }));
  return [{ value: "", label: "All kinds" }, ...found];
}

export function accepted({ total }: Counts): SelectProps.Option[] {
  const found = Object.keys(WORDS.accepted).map((name) => ({
    ...{ value: name, label: acceptedWord(name), ...tagged(total && (total[name as "similar"] ?? 0)) },
  }));
  return [{ value: "", label: "Either" }, ...found];
}
