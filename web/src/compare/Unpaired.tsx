import Alert from "@cloudscape-design/components/alert";
import Container from "@cloudscape-design/components/container";
import type { UnpairedDifference } from "../data/types";
import { points } from "../format/numbers";
import { DataTable } from "../parts/DataTable";
import { DeltaPlot, reach } from "../parts/DeltaPlot";
import { RateCell } from "../parts/Figures";
import { PathName } from "../parts/Text";

/** Two runs whose documents cannot be paired. */
export function Unpaired({ difference }: { difference: UnpairedDifference }) {
  const rows = [difference.total, ...Object.values(difference.fields)];
  const scale = reach(rows);
  return (
    <div className="stack">
      <Alert type="info" header="The documents are not paired">
        A real difference is easily overlooked: {difference.without_rows} has no rows to pair.
      </Alert>
      <Container>
        <DataTable
          label="Fields of both runs, the largest loss first"
          rows={rows}
          keyOf={(row) => row.path}
          columns={[
            {
              key: "path",
              title: "field",
              head: true,
              cell: (row) => (row.path ? <PathName path={row.path} /> : "all values"),
            },
            { key: "base", title: "base", numeric: true, cell: (row) => <RateCell of={row.base} /> },
            { key: "candidate", title: "candidate", numeric: true, cell: (row) => <RateCell of={row.candidate} /> },
            { key: "points", title: "points", numeric: true, cell: (row) => points(row.delta) },
            { key: "plot", title: "95% of the difference", cell: (row) => <DeltaPlot of={row} scale={scale} /> },
          ]}
        />
      </Container>
    </div>
  );
}
