/** Sorts rows of a table; the address says by what. */
import type { Sorting } from "../parts/DataTable";
import { oneOf } from "./address";

/** Reads `-total`, the largest first, or `total`; undefined for a column that is none of these. */
export function readSorting<Key extends string>(
  text: string | undefined,
  keys: readonly Key[],
): Sorting<Key> | undefined {
  const isDown = !!text?.startsWith("-");
  const key = oneOf(isDown ? text?.slice(1) : text, keys);
  return key && { key, isDown };
}

export function writeSorting({ key, isDown }: Sorting): string {
  return isDown ? `-${key}` : key;
}

/** Sorts by a value; what is undefined comes last either way, equals as the last function says. */
export function byKey<Row>(
  rows: readonly Row[],
  valueIn: (row: Row) => number | string | null,
  isDown: boolean,
  otherwise: (a: Row, b: Row) => number,
): Row[] {
  const sign = isDown ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [one, other] = [valueIn(a), valueIn(b)];
    if (one === null || other === null) return Number(one === null) - Number(other === null) || otherwise(a, b);
    const order = typeof one === "string" ? one.localeCompare(String(other)) : one - Number(other);
    return sign * order || otherwise(a, b);
  });
}
