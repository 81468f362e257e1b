import { own } from "../data/own";
import { pathName } from "../data/paths";
import type { FieldDifference, FlipCounts, RunDifference } from "../data/types";
import { chance, count, points } from "../format/numbers";
import { findingOf, ofUnits, titled } from "../format/words";
import type { Column } from "../parts/DataTable";
import { DeltaPlot, Dumbbell, reach, scaleStart } from "../parts/DeltaPlot";
import { RateCell } from "../parts/Figures";
import { PathName } from "../parts/Text";
import { writeAddress } from "../state/address";
import { Chance, Points } from "./Verdict";

const EXTRA = ["p", "p_worse", "p_holm", "n", "detectable"];
const NONE: FlipCounts = { fixed: 0, broken: 0 };

/** The columns of the fields; some are of interest only to those who check a test. */
export function fieldColumns({ fields, flips, total }: RunDifference, isAll: boolean): Column<FieldDifference>[] {
  const scale = reach(Object.values(fields));
  const start = scaleStart(Object.values(fields));
  const flipsOf = (row: FieldDifference) => own(flips.fields ?? {}, row.path) ?? NONE;
  const as = (key: string) => titled("changed_fields", key, total.base.unit);
  const columns: Column<FieldDifference>[] = [
    {
      ...as("field"),
      title: "field",
      head: true,
      sorts: "up",
      cell: (row) => <FieldLink row={row} of={flipsOf(row)} />,
    },
    { ...as("finding"), cell: (row) => <Finding row={row} /> },
    { ...as("points"), key: "delta", numeric: true, sorts: "up", cell: (row) => <Points of={row} /> },
    { ...as("interval"), title: "95% of the difference", cell: (row) => <DeltaPlot of={row} scale={scale} /> },
    { ...as("base"), numeric: true, cell: (row) => <RateCell of={row.base} /> },
    {
      ...{ key: "dumbbell", title: `○ → ●, ${start} to 1`, hint: "base ○ and candidate ●, each with its interval" },
      cell: (row) => (
        <Dumbbell base={row.base} candidate={row.candidate} tone={findingOf(row.finding).tone} start={start} />
      ),
    },
    { ...as("candidate"), numeric: true, cell: (row) => <RateCell of={row.candidate} /> },
    { ...as("p"), numeric: true, sorts: "up", cell: (row) => <Chance of={row} /> },
    { ...as("q"), numeric: true, sorts: "up", cell: (row) => chance(row.q) },
    { ...as("p_worse"), numeric: true, sorts: "up", cell: (row) => chance(row.p_worse) },
    { ...as("p_holm"), numeric: true, sorts: "up", cell: (row) => chance(row.p_holm) },
    ...(["fixed", "broken"] as const).map(
      (direction): Column<FieldDifference> => ({
        ...{ key: direction, title: direction, numeric: true },
        hint: `values right in the ${direction === "fixed" ? "candidate" : "base"} only`,
        cell: (row) => <FlipCount row={row} direction={direction} n={flipsOf(row)[direction]} />,
      }),
    ),
    { ...as("improved"), numeric: true, cell: (row) => count(row.improved) },
    { ...as("regressed"), numeric: true, cell: (row) => count(row.regressed) },
    { ...as("tied"), numeric: true, cell: (row) => count(row.tied) },
    { ...as("n"), numeric: true, cell: (row) => count(row.n) },
    { ...as("detectable"), numeric: true, cell: (row) => points(row.detectable).replace("+", "") },
  ];
  return isAll ? columns : columns.filter(({ key }) => !EXTRA.includes(key));
}

function FieldLink({ row, of }: { row: FieldDifference; of: FlipCounts }) {
  const name = <PathName path={row.path} />;
  return of.fixed + of.broken ? <a href={writeAddress("flips", { field: row.path })}>{name}</a> : name;
}

function FlipCount({ row, direction, n }: { row: FieldDifference; direction: "fixed" | "broken"; n: number }) {
  if (!n) return <span className="quiet">0</span>;
  return (
    <a
      href={writeAddress("flips", { field: row.path, direction })}
      aria-label={`${count(n)} ${direction} of ${pathName(row.path)}`}
    >
      {count(n)}
    </a>
  );
}

function Finding({ row }: { row: FieldDifference }) {
  const { symbol, word, tone } = findingOf(row.finding);
  return (
    <span className={`finding ${tone}`}>
      <i aria-hidden="true">{symbol}</i> {row.clearly_worse ? "clearly worse" : ofUnits(word, row.base.unit)}
    </span>
  );
}
