import type { Rate } from "../data/types";
import { counted, interval, rate } from "../format/numbers";
import { DASH, grade, gradeSymbol, ofUnits, WORDS } from "../format/words";

export function boundsOf(of: Rate): readonly [number, number] | null {
  return of.low === null || of.low === undefined || of.high === null || of.high === undefined
    ? null
    : [of.low, of.high];
}

/** A rate with the colour and the symbol of its band. */
export function Badge({ value }: { value: number | null | undefined }) {
  const look = grade(value);
  if (look === "undefined") {
    return (
      <span className="quiet" title="nothing to divide by">
        {DASH}
      </span>
    );
  }
  return (
    <span className={`badge ${look}`}>
      <i aria-hidden="true">{gradeSymbol(value)}</i> {rate(value)}
    </span>
  );
}

/** A rate as the length of a bar, with its interval as a line. */
export function Bar({ of }: { of: Rate }) {
  const bounds = boundsOf(of);
  const length = 100 * Math.min(1, Math.max(0, of.value ?? 0));
  return (
    <svg className={`bar ${grade(of.value)}`} viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect className="track" width="100" height="6" />
      <rect className="fill" width={length} height="6" />
      {bounds && (
        <rect
          className="spread"
          x={100 * bounds[0]}
          y="2"
          width={Math.max(100 * (bounds[1] - bounds[0]), 0.5)}
          height="2"
        />
      )}
    </svg>
  );
}

/** The interval of a rate in small letters, with a mark where few documents are behind it. */
export function Bounds({ of, write = interval }: { of: Rate; write?: typeof interval }) {
  const [bounds, n] = [boundsOf(of), of.n ?? 0];
  if (of.value === null || !n) return null;
  const said = unitsOf(n, of.unit);
  if (!bounds) {
    return (
      <small className="bounds" title={`${said}: too few for an interval`}>
        no interval
      </small>
    );
  }
  return (
    <small className="bounds" title={`95% interval, ${said}`}>
      {write(bounds)}
      {n < WORDS.few_documents.below && (
        <span className="few" title={ofUnits(WORDS.few_documents.note.slice(2), of.unit)}>
          few
        </span>
      )}
    </small>
  );
}

/** How many units, in the word of the unit. */
export function unitsOf(n: number, unit: Rate["unit"]): string {
  const { one, many } = WORDS.units[unit ?? "documents"];
  return counted(n, one, many);
}

export function RateCell({ of }: { of: Rate | null }) {
  if (!of || of.value === null) return <span className="quiet">{DASH}</span>;
  return (
    <>
      {rate(of.value)}
      <Bounds of={of} />
    </>
  );
}

/** A rate with its badge, bar and interval. */
export function RateBar({ of }: { of: Rate }) {
  return (
    <span className="rate-bar">
      <span className="rate-line">
        <Bar of={of} />
        <Badge value={of.value} />
      </span>
      <Bounds of={of} />
    </span>
  );
}
