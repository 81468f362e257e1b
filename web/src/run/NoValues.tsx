import type { Summary } from "../data/interface";

/** Why counts don't open to values, where they don't. */
export function NoValues({ sums }: { sums: Summary }) {
  if (sums.hasRows) return null;
  return <p className="quiet small">{noValues(sums)}</p>;
}

export function noValues({ countsOnly }: Summary): string {
  return countsOnly
    ? "Only counts were added up: the results that were read name no values, so numbers don’t open to them."
    : "This run kept no compared values (--no-values), so numbers don’t open to them.";
}
