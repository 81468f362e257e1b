/** A confusion matrix as it is drawn: which places, and how strong each cell is. */
import type { Confusion } from "./types";

/** So many classes are drawn, those with the most rows; more would be no picture. */
export const MAX_DRAWN = 40;
const LEVELS = [0.02, 0.1, 0.25, 0.5, 0.8];

export interface Drawn {
  down: number[];
  across: number[];
}

/** Whether a place is that of a class, not of what is missing. */
export function isClass({ labels, has_missing }: Confusion, place: number): boolean {
  return !has_missing || place < labels.length - 1;
}

export function rowSum({ counts }: Confusion, place: number): number {
  return (counts[place] ?? []).reduce((sum, n) => sum + n, 0);
}

export function columnSum({ counts }: Confusion, place: number): number {
  return counts.reduce((sum, row) => sum + (row[place] ?? 0), 0);
}

export function countAt({ counts }: Confusion, expected: number, predicted: number): number {
  return counts[expected]?.[predicted] ?? 0;
}

/** The places with the most rows on either side, in their order; what is missing only where something is. */
export function drawn(matrix: Confusion): Drawn {
  const size = (place: number) => rowSum(matrix, place) + columnSum(matrix, place);
  const places = matrix.labels.map((_, place) => place);
  const largest = places
    .toSorted((a, b) => size(b) - size(a))
    .slice(0, MAX_DRAWN)
    .toSorted((a, b) => a - b);
  return {
    down: largest.filter((place) => isClass(matrix, place) || rowSum(matrix, place) > 0),
    across: largest.filter((place) => isClass(matrix, place) || columnSum(matrix, place) > 0),
  };
}

/** How strong a cell is by its share of the expected class: 1 to 6. */
export function level(share: number): number {
  return 1 + LEVELS.filter((least) => share >= least).length;
}

export const STRENGTHS = LEVELS.length + 1;

export interface Confused {
  expected: number;
  predicted: number;
  n: number;
  share: number;
}

/** Places that were taken for others, the most frequent first. */
export function confusions(matrix: Confusion): Confused[] {
  const found = matrix.counts.flatMap((row, expected) =>
    row.map((n, predicted) => ({ expected, predicted, n, share: n / (rowSum(matrix, expected) || 1) })),
  );
  return found
    .filter(({ expected, predicted, n }) => n > 0 && (expected !== predicted || !isClass(matrix, expected)))
    .toSorted((a, b) => b.n - a.n || a.expected - b.expected || a.predicted - b.predicted);
}

/** Reads a place of the matrix from the address. */
export function readPlace(text: string | undefined, matrix: Confusion): number | undefined {
  const place = text === undefined || text === "" ? Number.NaN : Number(text);
  return Number.isInteger(place) && place >= 0 && place < matrix.labels.length ? place : undefined;
}
