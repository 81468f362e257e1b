import Container from "@cloudscape-design/components/container";
import Header from "@cloudscape-design/components/header";
import type { ScoredValue, Sweep } from "../data/types";
import { rate } from "../format/numbers";
import { type Column, DataTable } from "../parts/DataTable";
import { Outcome } from "../parts/Outcomes";
import { bothSides, Name, Value } from "../parts/Text";

/** The nearest values on each side of the current threshold. */
export function Nearest({ sweep: { nearest } }: { sweep: Sweep }) {
  const side = (of: "expected" | "predicted"): Column<ScoredValue> => ({
    ...{ key: of, title: of, look: "side" },
    cell: (value) => <Value text={value[of]} marks={bothSides(value.expected, value.predicted)[of]} />,
  });
  return (
    <Container
      header={
        <Header variant="h2" description="Values that a small change would judge otherwise">
          Next to the current threshold
        </Header>
      }
    >
      {nearest.length ? (
        <DataTable
          className="values"
          label="The nearest values on each side of the current threshold"
          rows={nearest}
          keyOf={(value) => `${value.document} ${value.path} ${value.score}`}
          columns={[
            { key: "path", title: "path", head: true, cell: (value) => <Name text={value.path} /> },
            { key: "score", title: "score", numeric: true, cell: (value) => rate(value.score) },
            {
              ...{ key: "outcome", title: "outcome" },
              cell: (value) => <Outcome name={value.matches ? "match" : "mismatch"} />,
            },
            side("expected"),
            side("predicted"),
            { key: "document", title: "document", cell: (value) => <Name text={value.document} breaks="/_-" /> },
          ]}
        />
      ) : (
        <p className="quiet">No value has a score near it, other than the same on both sides.</p>
      )}
    </Container>
  );
}
