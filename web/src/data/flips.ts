/** How many values flipped, from the sums of a comparison: it holds some of them only. */
import { isWithin } from "./totals";
import type { Flips } from "./types";

export const DIRECTIONS = ["broken", "fixed"] as const;
export type Direction = (typeof DIRECTIONS)[number];

export interface FlipQuestion {
  direction?: Direction | undefined;
  /** A field, or an object or list whose fields are meant. */
  field?: string | undefined;
  find?: string | undefined;
}

/** How many flips are meant; null where only the listed ones can be searched. */
export function flipTotal({ fixed, broken, fields }: Flips, { direction, field, find }: FlipQuestion): number | null {
  if (find || (field && !fields)) return null;
  const within = Object.entries(fields ?? {}).filter(([path]) => field && isWithin(path, field));
  const counts = field ? within.map(([, of]) => of) : [{ fixed, broken }];
  const meant: readonly Direction[] = direction ? [direction] : DIRECTIONS;
  return counts.flatMap((of) => meant.map((key) => of[key])).reduce((sum, n) => sum + n, 0);
}
