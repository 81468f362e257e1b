/** A field at many thresholds: which point is meant, and what its drawings need. */
import type { Rates, Sweep, SweepPoint } from "../data/types";

/** The rates of a sweep, the headline first. */
export const RATES = ["strict_f1", "precision", "strict_recall", "recall", "f1"] as const satisfies (keyof Rates)[];

/** Returns the point at a threshold of the address, or the one of the run. */
export function pointAt({ points, current }: Sweep, at: string | undefined): SweepPoint | undefined {
  return points.find((point) => String(point.threshold) === at) ?? points.find((point) => point.threshold === current);
}

/** From which rate on the drawing begins: a fifth below all that is drawn. */
export function lowest({ points }: Sweep): number {
  const drawn = points.flatMap(({ rates }) => [...RATES.map((name) => rates[name].value), rates.strict_f1.low]);
  const known = drawn.filter((value) => typeof value === "number");
  return Math.max(0, Math.floor(Math.min(...known, 0.96) * 5) / 5);
}

/** How high a count stands in a drawing whose scale is logarithmic: 0 at 0. */
export function height(count: number): number {
  return Math.log10(1 + count);
}

/** 0 and the powers of ten up to a count. */
export function marksUpTo(most: number): number[] {
  return [0, ...Array.from({ length: Math.floor(Math.log10(Math.max(most, 1))) + 1 }, (_, k) => 10 ** k)];
}
