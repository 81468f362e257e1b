/** What confidences are worth: which field is meant, how fields are ordered, what review catches. */

import { own } from "../data/own";
import type { Calibration, CalibrationWords, ConfidencePage, CurvePoint, FieldCalibration } from "../data/types";
import type { Sorting } from "../parts/DataTable";

/** The share of review that the table of fields speaks of. */
export const REVIEW_SHARE = 0.2;
/** The error rate of fewer accepted values is noise, and is not drawn. */
const FROM_SHARE = 0.02;

export interface OfField {
  figures: FieldCalibration;
  words: CalibrationWords;
  /** Null where all fields are meant. */
  name: string | null;
}

/** Returns the named field, or all of them together where no field is called so. */
export function fieldIn({ calibration, pooled, fields }: ConfidencePage, name: string | undefined): OfField {
  const isKnown = name !== undefined && Object.hasOwn(calibration.fields, name);
  const [figures, words] = isKnown ? [calibration.fields[name], fields[name]] : [];
  return figures && words && isKnown
    ? { figures, words, name }
    : { figures: calibration.pooled, words: pooled, name: null };
}

/** Below this chance an error of calibration is more than chance. */
const MISCALIBRATED = 0.05;

/** The fields as the results list them, worst calibrated first; an object would list names that are numbers first. */
export function worstFirst({ fields }: Calibration): FieldCalibration[] {
  const isShown = ({ ece_p }: FieldCalibration) => ece_p !== null && ece_p < MISCALIBRATED;
  const byName = (a: FieldCalibration, b: FieldCalibration) => (a.name < b.name ? -1 : 1);
  const byError = (a: FieldCalibration, b: FieldCalibration) => (b.ece_beyond_chance ?? 0) - (a.ece_beyond_chance ?? 0);
  return Object.values(fields).sort((a, b) => Number(isShown(b)) - Number(isShown(a)) || byError(a, b) || byName(a, b));
}

/** The names before and after a field, worst calibrated first; all fields together come before the first. */
export function neighbours(calibration: Calibration, name: string | null): { before?: string | null; after?: string } {
  const names = worstFirst(calibration).map((field) => field.name);
  const at = name === null ? -1 : names.indexOf(name);
  const after = names[at + 1];
  return { ...(at >= 0 && { before: names[at - 1] ?? null }), ...(after !== undefined && { after }) };
}

/** The share of errors that reviewing a share of the values catches; null where there is no error. */
export function caughtAt(field: FieldCalibration, share: number): number | null {
  return field.review.find((point) => point.share === share)?.caught ?? null;
}

const FIGURES: Record<string, (field: FieldCalibration) => number | null> = {
  ece: (field) => field.ece,
  points: (field) => field.signed_error,
  accuracy: (field) => field.accuracy,
  confidence: (field) => field.mean_confidence,
  coverage: (field) => field.coverage,
  n: (field) => field.n,
  wrong: (field) => field.n - field.right,
  auroc: (field) => field.auroc?.value ?? null,
  caught: (field) => caughtAt(field, REVIEW_SHARE),
  accept: (field) => field.acceptance?.chosen.threshold ?? null,
};

/** The columns by which fields are sorted. */
export const SORT_KEYS: readonly string[] = ["field", ...Object.keys(FIGURES)];

/** Sorts by a figure or by name, else keeps the order; what is undefined comes last either way. */
export function sortedFields(rows: readonly FieldCalibration[], { key, isDown }: Sorting): FieldCalibration[] {
  const sign = isDown ? -1 : 1;
  if (key === "field") return rows.toSorted((a, b) => sign * a.name.localeCompare(b.name));
  const of = own(FIGURES, key);
  if (!of) return [...rows];
  return rows.toSorted((a, b) => {
    const [one, other] = [of(a), of(b)];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return sign * (one - other);
  });
}

export type Point = readonly [x: number, y: number];

/** The share of errors caught by the share reviewed, from nothing to all. */
export function reviewLine(field: FieldCalibration): Point[] {
  return field.review_curve.length ? [[0, 0], ...field.review_curve.map(pointOf)] : [];
}

/** The error rate among accepted values by the share accepted. */
export function riskLine(field: FieldCalibration): Point[] {
  return field.risk_curve.filter((point) => point.share >= FROM_SHARE).map(pointOf);
}

function pointOf({ share, figure }: { share: number; figure: number }): Point {
  return [share, figure];
}

/** Where a label beside a level is clear of a line; at the beginning, above the level, where it nowhere is. */
export function clearPlace(
  points: readonly Point[],
  { level, width, height }: { level: number; width: number; height: number },
): { from: number; isBelow: boolean } {
  const starts = Array.from({ length: Math.floor((1 - width) * 20) + 1 }, (_, k) => k / 20);
  const places = [false, true].flatMap((isBelow) => starts.map((from) => ({ from, isBelow })));
  const isClear = ({ from, isBelow }: { from: number; isBelow: boolean }) => {
    const [low, high] = isBelow ? [level - height, level] : [level, level + height];
    return points.every(([x, y], k) => {
      const [nextX, nextY] = points[k + 1] ?? [x, y];
      const isBeside = Math.max(x, nextX) < from || Math.min(x, nextX) > from + width;
      return isBeside || Math.max(y, nextY) < low || Math.min(y, nextY) > high;
    });
  };
  return (
    places.find((place) => (place.isBelow ? level >= height && isClear(place) : isClear(place))) ?? {
      from: 0,
      isBelow: false,
    }
  );
}

/** The points of a curve that are nearest to some shares, each once. */
export function pointsNear(curve: readonly CurvePoint[], shares: readonly number[]): CurvePoint[] {
  const nearest = (share: number) => curve.toSorted((a, b) => Math.abs(a.share - share) - Math.abs(b.share - share))[0];
  return [...new Set(shares.map(nearest))].filter((point) => point !== undefined);
}

/** A round number that is not much larger, for the top of an axis; at most 1. */
export function roundUp(value: number): number {
  if (value <= 0) return 0.01;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 4, 6, 8, 10].find((step) => step * power >= value - 1e-12) ?? 10;
  return Number(Math.min(1, step * power).toPrecision(9));
}
