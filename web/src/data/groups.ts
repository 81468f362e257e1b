/** Some of the documents of a run: those of a class, or with one value of a slice key. */
import { own } from "./own";
import type { FieldMetrics, GroupMetrics, Metrics } from "./types";

/** A slice key and one of its values; null are the documents that have none. */
export interface Slice {
  key: string;
  value: string | null;
}

/** Writes a slice for the address: `vendor:Acme`, or `vendor` for documents without one. */
export function writeSlice({ key, value }: Slice): string {
  return value === null ? encodeURIComponent(key) : `${encodeURIComponent(key)}:${encodeURIComponent(value)}`;
}

export function readSlice(text: string | undefined): Slice | undefined {
  if (!text) return undefined;
  const [key = "", value] = text.split(":", 2);
  try {
    return { key: decodeURIComponent(key), value: value === undefined ? null : decodeURIComponent(value) };
  } catch {
    return undefined; // no address that this page wrote
  }
}

export function sliceWords({ key, value }: Slice): string {
  return value === null ? `no ${key}` : `${key}: ${value}`;
}

export function slicesOf(metrics: Metrics): { slice: Slice; group: GroupMetrics }[] {
  return Object.entries(metrics.slices ?? {}).flatMap(([key, { values, missing }]) => [
    ...Object.entries(values).map(([value, group]) => ({ slice: { key, value }, group })),
    ...(missing ? [{ slice: { key, value: null }, group: missing }] : []),
  ]);
}

/** What is counted of a class or a slice; null where there is none of that name. */
export function groupOf(
  metrics: Metrics,
  chosen: { class?: string | undefined; slice?: Slice | undefined },
): GroupMetrics | null {
  if (chosen.class !== undefined) return own(metrics.classes ?? {}, chosen.class);
  const { slice } = chosen;
  if (!slice) return null;
  const of = own(metrics.slices ?? {}, slice.key);
  return slice.value === null ? (of?.missing ?? null) : own(of?.values ?? {}, slice.value);
}

/** Whether a row counts values, not rows of a list or an object as one. */
export function isLeaf(row: FieldMetrics): boolean {
  return (row.scope ?? "values") === "values" || row.scope === "undeclared";
}

export type Sums = Pick<FieldMetrics, "tp" | "fp" | "fn" | "fd" | "fa"> &
  Partial<Pick<FieldMetrics, "rates" | "similar" | "written_differently">>;

/** All values of a group together; counts of others state its fields only, which are added up. */
export function totalOfGroup({ aggregate, fields }: Pick<GroupMetrics, "aggregate" | "fields">): Sums {
  if (aggregate) return aggregate;
  const sum = { tp: 0, fp: 0, fn: 0, fd: 0, fa: 0 };
  for (const row of Object.values(fields).filter(isLeaf)) {
    for (const key of Object.keys(sum) as (keyof typeof sum)[]) sum[key] += row[key];
  }
  return sum;
}
