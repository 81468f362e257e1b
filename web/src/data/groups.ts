/** Some of the documents of a run: those of a class, or with one value of a slice key. */
import { own } from "./own";
import type { FieldMetrics, GroupMetrics, Metrics, Slice, ValueQuestion } from "./types";

/** Which documents: those of classes, and those with values of slice keys. */
export type Group = Pick<ValueQuestion, "classes" | "slices">;

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

/** Whether sums are kept of such documents: by class and by slice, not of several together. */
export function isCounted({ classes = [], slices = [] }: Group): boolean {
  return classes.length + slices.length < 2;
}

/** What is counted of all documents, of a class or of a slice; null where there is none of that name. */
export function groupOf(metrics: Metrics, group: Group): GroupMetrics | Metrics | null {
  if (!isCounted(group)) return null;
  const [name, slice] = [group.classes?.[0], group.slices?.[0]];
  if (name !== undefined) return own(metrics.classes ?? {}, name);
  if (!slice) return metrics;
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
