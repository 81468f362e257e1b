import Container from "@cloudscape-design/components/container";
import Header from "@cloudscape-design/components/header";
import { count, counted, number } from "../format/numbers";
import { DASH } from "../format/words";
import { DataTable } from "../parts/DataTable";
import { Name, Shown } from "../parts/Text";
import type { ClassesProps } from "./ClassesPage";

/** The metrics that were asked for as they came out, those that failed, and lines that are no rows. */
export function Metrics({ page }: ClassesProps) {
  const { metrics, about } = page.classification;
  const numbers = Object.entries(metrics).flatMap(([metric, values]) =>
    Object.entries(values as Record<string, unknown>).map(([name, value]) => ({ metric, name, value })),
  );
  const failed = Object.entries(about.errors);
  return (
    <div className="stack">
      <Container
        header={
          <Header
            variant="h2"
            description={`Right is ${about.judge === "labels" ? "equal labels" : "the flag correct"}`}
          >
            Metrics
          </Header>
        }
      >
        <DataTable
          label="Metrics"
          rows={numbers}
          keyOf={(row) => JSON.stringify([row.metric, row.name])}
          columns={[
            { key: "metric", title: "metric", head: true, cell: (row) => <Name text={row.metric} /> },
            { key: "name", title: "name", cell: (row) => <Name text={row.name} /> },
            { key: "value", title: "value", numeric: true, cell: (row) => written(row.value) },
          ]}
        />
        {failed.map(([name, reason]) => (
          <p key={name} className="wrong">
            The metric <Name text={name} /> failed: <Shown text={reason} />
          </p>
        ))}
      </Container>
      {about.unusable.length > 0 && (
        <Container
          header={
            <Header variant="h2" description="They are in no number">
              {counted(about.unusable.length, "line")} that could not be used
            </Header>
          }
        >
          <DataTable
            label="Lines that could not be used"
            rows={about.unusable.slice(0, 1000)}
            keyOf={(row) => `${row.line}`}
            columns={[
              { key: "line", title: "line", head: true, cell: (row) => count(row.line) },
              { key: "reason", title: "reason", look: "words", cell: (row) => <Shown text={row.reason} /> },
            ]}
          />
        </Container>
      )}
    </div>
  );
}

function written(value: unknown): string {
  if (typeof value === "number") return Number.isInteger(value) ? count(value) : number(value);
  return value === null || value === undefined ? DASH : JSON.stringify(value);
}
