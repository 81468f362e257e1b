import { pointsInterval } from "../format/numbers";
import { findingOf, ofUnits, WORDS } from "../format/words";

export interface Delta {
  delta: number | null;
  low: number | null;
  high: number | null;
  finding?: string;
  n?: number;
  base?: { unit?: string | undefined };
}

/** How far a scale must reach to either side for all of them. */
export function reach(rows: readonly Delta[]): number {
  const sizes = rows.flatMap((row) => [row.delta, row.low, row.high].map((value) => Math.abs(value ?? 0)));
  return Math.max(...sizes, 0.005);
}

/** A difference and its interval on a scale with zero in the middle, its bounds written below the mark. */
export function DeltaPlot({ of, scale }: { of: Delta; scale: number }) {
  const x = (value: number) => 100 + (92 * value) / scale;
  if (of.delta === null) return <span className="quiet">–</span>;
  const [low, high] = [of.low ?? of.delta, of.high ?? of.delta];
  return (
    <span className="delta">
      <svg viewBox="0 0 200 12" className={findingOf(of.finding ?? "").tone} aria-hidden="true">
        <line className="zero" x1="100" x2="100" y1="0" y2="12" />
        <line className="range" x1={x(low)} x2={x(high)} y1="6" y2="6" />
        <circle cx={x(of.delta)} cy="6" r="3.5" />
      </svg>
      {of.low !== null && of.high !== null && (
        <small className="bounds" style={{ marginInlineStart: `${below(x(of.delta))}%` }}>
          {pointsInterval([of.low, of.high])}
          {of.n !== undefined && of.n < WORDS.few_documents.below && (
            <span className="few" title={ofUnits(WORDS.few_documents.note.slice(2), of.base?.unit)}>
              few
            </span>
          )}
        </small>
      )}
    </span>
  );
}

/** Where a text of about two thirds of the width begins, to stand below its mark. */
function below(x: number): number {
  return Math.min(Math.max(x / 2 - 33, 0), 34);
}

/** Where a scale up to 1 must begin to show all rates; those of few documents may lie below, and are drawn at its edge. */
export function scaleStart(rows: readonly { base: Side; candidate: Side; n: number }[]): number {
  const firm = rows.filter((row) => row.n >= WORDS.few_documents.below);
  const rates = firm.flatMap(({ base, candidate }) => [base.low ?? base.value, candidate.low ?? candidate.value]);
  const least = Math.min(...rates.filter((value) => value !== null), 0.9);
  return Math.max(Math.floor(least * 10 + 1e-9) / 10, 0);
}

/** Base and candidate on one scale, joined by a line; intervals are thinner lines. */
export function Dumbbell({ base, candidate, tone, start }: DumbbellProps) {
  const x = (value: number) => 4 + (192 * Math.max(value - start, 0)) / (1 - start);
  const [from, to] = [base.value, candidate.value];
  if (from === null || to === null) return <span className="quiet">–</span>;
  return (
    <svg viewBox="0 0 200 16" className={`dumbbell ${tone}`} aria-hidden="true">
      <line className="zero" x1={x(start)} x2={x(1)} y1="8" y2="8" />
      {[base, candidate].map((side, k) => (
        <line key={k} className="spread" x1={x(side.low ?? 0)} x2={x(side.high ?? 0)} y1={k ? 12 : 4} y2={k ? 12 : 4} />
      ))}
      <line className="range" x1={x(from)} x2={x(to)} y1="8" y2="8" />
      <circle className="base" cx={x(from)} cy="8" r="4" />
      <circle cx={x(to)} cy="8" r="4" />
    </svg>
  );
}

interface DumbbellProps {
  base: Side;
  candidate: Side;
  tone: string;
  /** Where the scale begins. */
  start: number;
}

interface Side {
  value: number | null;
  low?: number | null;
  high?: number | null;
}
