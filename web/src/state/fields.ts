/** The fields of a run as rows: what they cost, their order, and as a tree. */
import { isLeaf } from "../data/groups";
import { lostPoints, weightsOf } from "../data/lost";
import { pathName, pathOf, stepName, steps } from "../data/paths";
import type { FieldMetrics, Metrics, Rate, Rule } from "../data/types";
import { byKey } from "./sorting";

export interface FieldRow {
  path: string;
  /** How it is called within its parent, in a tree. */
  label: string;
  metrics: FieldMetrics;
  /** What its values are asked for by. */
  key: string;
  /** Values of another kind in place of an object or a list, which has a row of its own. */
  isOther?: boolean;
  /** Weight times wrong values. */
  lost: number;
  values: number;
  near: number;
  depth: number;
  /** Of a parent in the tree, the number of fields inside. */
  inside: number;
}

const COUNT_KEYS = ["tp", "fp", "fn", "fd", "fa", "tn", "values", "near", "documents"] as const;
export const SORT_KEYS = [
  ...(["lost", "field", "strict_f1", "precision", "strict_recall", "recall", "f1", "accuracy"] as const),
  ...COUNT_KEYS,
];
export type CountKey = (typeof COUNT_KEYS)[number];
export type SortKey = (typeof SORT_KEYS)[number];

/** Makes rows of the fields of a run, or of some of its documents; the rules of their class come before those of all. */
export function fieldRows(of: Pick<Metrics, "fields">, rules: readonly Rule[], ofClass?: string): FieldRow[] {
  const weights = weightsOf(rules, ofClass);
  return Object.entries(of.fields).map(([path, row]) => rowOf(path, row, weights.get(path) ?? 1));
}

function rowOf(path: string, metrics: FieldMetrics, weight: number): FieldRow {
  const wrong = metrics.fd + metrics.fa + metrics.fn;
  const shown = pathOf(path);
  return {
    path: shown,
    key: path,
    label: pathName(shown),
    metrics,
    isOther: shown !== path && isLeaf(metrics),
    lost: lostPoints(metrics, weight),
    values: metrics.tp + wrong,
    near: (metrics.written_differently ?? 0) + (metrics.similar ?? 0),
    depth: 0,
    inside: 0,
  };
}

export function isSeen(row: FieldRow): boolean {
  return row.values > 0;
}

export function rateOf(row: FieldRow, key: SortKey): Rate | null {
  if (key === "accuracy") return { value: row.values + row.metrics.tn ? row.metrics.accuracy : null };
  return (row.metrics.rates as unknown as Record<string, Rate>)[key] ?? null;
}

function sortValue(row: FieldRow, key: SortKey): number | string | null {
  if (key === "field") return row.path;
  if (key === "lost" || key === "values" || key === "near") return row[key];
  if (key === "documents") return row.metrics.rates.strict_f1.n ?? 0;
  if (["tp", "fp", "fn", "fd", "fa", "tn"].includes(key)) return row.metrics[key as "tp"];
  return rateOf(row, key)?.value ?? null;
}

/** Sorts; what is undefined comes last either way, equals by what they cost, then by name. */
export function sortFields(rows: readonly FieldRow[], key: SortKey, isDown: boolean): FieldRow[] {
  const costs = (a: FieldRow, b: FieldRow) => b.lost - a.lost || a.path.localeCompare(b.path);
  return byKey(rows, (row) => sortValue(row, key), isDown, costs);
}

export type Order = (rows: readonly FieldRow[]) => FieldRow[];

/** Puts fields under their parents, which have the sum of the leaves inside; siblings are in the given order. */
export function asTree(rows: readonly FieldRow[], folded: ReadonlySet<string>, order: Order): FieldRow[] {
  const lists = rows.filter((row) => row.metrics.scope === "rows");
  const leaves = rows.filter((row) => isLeaf(row.metrics));
  return branch(leaves, { lists, folded, order }, "", 0);
}

interface Tree {
  lists: FieldRow[];
  folded: ReadonlySet<string>;
  order: Order;
}

function branch(leaves: readonly FieldRow[], tree: Tree, prefix: string, depth: number): FieldRow[] {
  const groups = grouped(leaves, prefix);
  const siblings = [...groups].map(([name, group]) => sibling(group, name, prefix, depth));
  return tree.order(siblings).flatMap((row) => {
    if (tree.folded.has(row.path)) return [row];
    const own = tree.lists.filter((list) => list.path === row.path).map((list) => ({ ...list, depth: depth + 1 }));
    if (!row.inside) return [row, ...own];
    const inside = groups.get(nextName(row.path, prefix)) ?? [];
    const below = inside.filter((leaf) => leaf.path !== row.path);
    const instead = inside.filter((leaf) => leaf.path === row.path).map((leaf) => ({ ...leaf, depth: depth + 1 }));
    return [row, ...own, ...instead, ...branch(below, tree, row.path, depth + 1)];
  });
}

function sibling(group: readonly FieldRow[], name: string, prefix: string, depth: number): FieldRow {
  const path = prefix ? `${prefix}.${name}` : name;
  const only = group[0];
  if (group.length === 1 && only?.path === path) return { ...only, label: stepName(name), depth };
  return { ...sumOf(path, group), label: stepName(name), depth, inside: group.length };
}

function grouped(rows: readonly FieldRow[], prefix: string): Map<string, FieldRow[]> {
  const groups = new Map<string, FieldRow[]>();
  for (const row of rows) {
    const name = nextName(row.path, prefix);
    groups.set(name, [...(groups.get(name) ?? []), row]);
  }
  return groups;
}

function nextName(path: string, prefix: string): string {
  return steps(prefix ? path.slice(prefix.length + 1) : path)[0] ?? "";
}

const SUMMED = ["tp", "fp", "tn", "fn", "fd", "fa"] as const;

function sumOf(path: string, rows: readonly FieldRow[]): FieldRow {
  const sums = Object.fromEntries(SUMMED.map((key) => [key, rows.reduce((sum, row) => sum + row.metrics[key], 0)]));
  const counts = sums as Pick<FieldMetrics, (typeof SUMMED)[number]>;
  const metrics = { ...counts, ...accuracyOf(counts), rates: ratesOf(counts), scope: "object" } as FieldMetrics;
  const add = (key: "lost" | "near" | "values") => rows.reduce((sum, row) => sum + row[key], 0);
  return {
    path,
    key: path,
    label: path,
    metrics,
    lost: add("lost"),
    near: add("near"),
    values: add("values"),
    depth: 0,
    inside: 0,
  };
}

type Counts = Pick<FieldMetrics, "tp" | "fp" | "tn" | "fn" | "fd" | "fa">;

/** The ratios of counts; sums of fields have no interval of their own here. */
export function ratesOf(counts: Counts): FieldMetrics["rates"] {
  const { tp, fd, fa, fn } = counts;
  const of = (top: number, bottom: number): Rate => ({ value: bottom ? top / bottom : null });
  return {
    precision: of(tp, tp + fd + fa),
    recall: of(tp, tp + fn),
    strict_recall: of(tp, tp + fn + fd),
    f1: of(2 * tp, 2 * tp + fd + fa + fn),
    strict_f1: of(2 * tp, 2 * tp + 2 * fd + fa + fn),
  };
}

function accuracyOf({ tp, tn, fp, fn }: Counts): { accuracy: number } {
  const all = tp + tn + fp + fn;
  return { accuracy: all ? (tp + tn) / all : 0 };
}

/** Finds by parts of the path; parents of what is found stay in a tree. */
export function findFields(rows: readonly FieldRow[], find: string): FieldRow[] {
  const words = find.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => words.every((word) => row.path.toLowerCase().includes(word)));
}
