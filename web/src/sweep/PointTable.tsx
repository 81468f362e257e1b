import type { Sweep, SweepPoint } from "../data/types";
import { change, count, interval, number, rate } from "../format/numbers";
import { titled } from "../format/words";
import { type Column, DataTable } from "../parts/DataTable";
import { boundsOf } from "../parts/Figures";
import { writeAddress } from "../state/address";
import { RATES } from "../state/sweep";

interface Props {
  sweep: Sweep;
  /** The point that is looked at. */
  at: SweepPoint;
  /** Rates only: the table behind the drawing. */
  isShort?: boolean;
}

/** Counts and rates at each threshold, rising; a threshold opens to its figures. */
export function PointTable({ sweep, at, isShort }: Props) {
  const now = sweep.points.find((point) => point.threshold === sweep.current);
  const as = (key: string) => titled("points", key);
  const rates = RATES.flatMap((name): Column<SweepPoint>[] => [
    { ...as(name), numeric: true, cell: (point) => rate(point.rates[name].value) },
    ...(name === "strict_f1"
      ? [
          {
            ...{ ...as("interval"), numeric: true },
            cell: (point: SweepPoint) => interval(boundsOf(point.rates.strict_f1)),
          },
        ]
      : []),
  ]);
  const counts: Column<SweepPoint>[] = [
    { ...as("tp"), numeric: true, cell: (point) => count(point.tp) },
    { ...as("fd"), numeric: true, cell: (point) => count(point.fd) },
    { ...as("change"), numeric: true, cell: (point) => change(point.tp - (now?.tp ?? 0)) },
  ];
  return (
    <DataTable
      label={isShort ? "Rates by threshold" : "Thresholds, rising"}
      rows={sweep.points}
      keyOf={(point) => String(point.threshold)}
      columns={[
        { ...as("threshold"), head: true, cell: (point) => <Threshold sweep={sweep} point={point} /> },
        ...rates,
        ...(isShort ? [] : counts),
      ]}
      rowLook={(point) => (point === at ? "chosen" : "")}
    />
  );
}

function Threshold({ sweep, point: { threshold } }: { sweep: Sweep; point: SweepPoint }) {
  return (
    <>
      <a href={writeAddress("sweep", { at: String(threshold) })}>{number(threshold)}</a>{" "}
      {threshold === sweep.current && <span className="tag">current</span>}{" "}
      {threshold === sweep.best && <span className="tag">highest</span>}
    </>
  );
}
