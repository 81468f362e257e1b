import Container from "@cloudscape-design/components/container";
import Header from "@cloudscape-design/components/header";
import type { Difference, FieldDifference, LostDocuments } from "../data/types";
import { chance, count, number, percent, points } from "../format/numbers";
import { filled, findingOf, titled, WORDS } from "../format/words";
import { DataTable } from "../parts/DataTable";
import { DeltaPlot, reach } from "../parts/DeltaPlot";
import { RateCell, unitsOf } from "../parts/Figures";
import { Notes } from "../parts/Notes";
import { PathName, Shown } from "../parts/Text";
import { writeAddress } from "../state/address";
import type { CompareProps } from "./ComparePage";
import { Reading } from "./Reading";

/** The verdict in one sentence, the figures behind it, and what is better and worse. */
export function Verdict({ difference, verdict, notes }: CompareProps) {
  const { symbol, tone } = findingOf(difference.finding);
  const unit = difference.total.base.unit ?? "documents";
  const as = (key: string) => titled("figures", key, unit);
  const rows = figures(difference);
  const scale = reach(rows.map(([, row]) => row));
  const changed = Object.entries(difference.fields);
  return (
    <div className="stack">
      <Container>
        <p className={`verdict ${tone}`}>
          <i aria-hidden="true">{symbol}</i> <Shown text={verdict} breaks="/_" />
        </p>
        <DataTable
          label="All values together"
          rows={rows}
          keyOf={([name]) => name}
          columns={[
            { ...as("name"), head: true, cell: ([name]) => name },
            { ...as("base"), numeric: true, cell: ([, row]) => <RateCell of={row.base} /> },
            { ...as("candidate"), numeric: true, cell: ([, row]) => <RateCell of={row.candidate} /> },
            { ...as("points"), numeric: true, cell: ([, row]) => <Points of={row} /> },
            {
              ...as("interval"),
              title: "95% of the difference",
              cell: ([, row]) => <DeltaPlot of={row} scale={scale} />,
            },
            { ...as("p"), numeric: true, cell: ([, row]) => <Chance of={row} /> },
            { ...as("improved"), numeric: true, cell: ([, row]) => count(row.improved) },
            { ...as("regressed"), numeric: true, cell: ([, row]) => count(row.regressed) },
            { ...as("tied"), numeric: true, cell: ([, row]) => count(row.tied) },
          ]}
        />
        <Lost of={difference.lost_documents} />
        <Notes sentences={notes} />
      </Container>
      <div className="two">
        <Side title="Worse" fields={changed.filter(([, row]) => row.finding === "worse")} />
        <Side title="Better" fields={changed.filter(([, row]) => row.finding === "better").reverse()} />
      </div>
      <Reading unit={unit === "clusters" ? "cluster" : "document"} />
    </div>
  );
}

function Lost({ of: { count: lost, n, drop, high, unit = "documents" } }: { of: LostDocuments }) {
  if (high === null) return null;
  const places = {
    count: count(lost),
    units: unitsOf(n, unit),
    drop: `${number(100 * drop, 4)} points`,
    many: WORDS.units[unit].many,
    share: percent(high),
  };
  return <p className="quiet">{filled(WORDS.notes.lost, places)}</p>;
}

function figures({ total, headlines, metric }: CompareProps["difference"]): [string, Difference][] {
  const names: Record<string, string> = WORDS.measures;
  const others = Object.entries(headlines as Record<string, Difference>).filter(([key]) => key !== metric);
  const metrics: Record<string, string> = WORDS.metrics;
  return [
    [metrics[metric] ?? metric, total],
    ...others.map(([key, row]): [string, Difference] => [names[key] ?? key, row]),
  ];
}

/** A chance, with the test that gave it. */
export function Chance({ of }: { of: Difference }) {
  return <span title={of.test ? WORDS.tests[of.test] : undefined}>{chance(of.p)}</span>;
}

export function Points({ of }: { of: { delta: number | null; finding?: string } }) {
  return <b className={findingOf(of.finding ?? "").tone}>{points(of.delta)}</b>;
}

function Side({ title, fields }: { title: string; fields: [string, FieldDifference][] }) {
  return (
    <Container
      header={
        <Header variant="h2" counter={`(${fields.length})`}>
          {title}
        </Header>
      }
    >
      {fields.length ? (
        <ul className="changes">
          {fields.map(([path, row]) => (
            <li key={path}>
              <a href={writeAddress("flips", { field: path })}>
                <PathName path={path} />
              </a>{" "}
              <Points of={row} /> {row.clearly_worse && <span className="tag odd">clearly worse</span>}
            </li>
          ))}
        </ul>
      ) : (
        <p className="quiet">No field is, as far as these documents show.</p>
      )}
    </Container>
  );
}
