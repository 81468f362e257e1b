/** What a field would count at another threshold, from its stored scores; the pairing of rows is held fixed. */
import type { FieldMetrics, ThresholdCurve } from "../data/types";
import { ratesOf } from "./fields";

export const STEPS = 100;

export type AtThreshold = Pick<FieldMetrics, "tp" | "fp" | "tn" | "fn" | "fd" | "fa" | "rates">;

/** Returns counts and rates at k hundredths; at the threshold of the run they are its own. */
export function atThreshold(curve: ThresholdCurve, row: FieldMetrics, hundredths: number): AtThreshold {
  const isOwn = Math.abs(hundredths / STEPS - curve.threshold) < 1e-9;
  const tp = isOwn ? row.tp : (curve.matches[hundredths] ?? 0);
  const fd = isOwn ? row.fd : curve.both - tp;
  const counts = { tp, fd, fa: row.fa, fn: row.fn, tn: row.tn, fp: fd + row.fa };
  return { ...counts, rates: ratesOf(counts) };
}

/** How many values have a score from each twentieth on to the next. */
export function scoreBins(curve: ThresholdCurve, bins = 20): number[] {
  const width = STEPS / bins;
  const from = (k: number) => curve.matches[Math.min(k, STEPS)] ?? 0;
  return Array.from({ length: bins }, (_, k) =>
    k === bins - 1 ? from(k * width) : from(k * width) - from((k + 1) * width),
  );
}
