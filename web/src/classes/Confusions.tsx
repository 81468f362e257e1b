import Container from "@cloudscape-design/components/container";
import Header from "@cloudscape-design/components/header";
import { type Confused, confusions } from "../data/matrix";
import type { Confusion } from "../data/types";
import { count, counted, percent } from "../format/numbers";
import { titled } from "../format/words";
import { DataTable } from "../parts/DataTable";
import { Name } from "../parts/Text";

const MAX_LISTED = 12;

interface Props {
  matrix: Confusion;
  hrefOf: (expected: number, predicted: number) => string;
}

/** Labels that were taken for others, the most frequent first. */
export function Confusions({ matrix, hrefOf }: Props) {
  const found = confusions(matrix);
  const rows = found.reduce((sum, { n }) => sum + n, 0);
  const cut = found.length > MAX_LISTED ? `; the ${MAX_LISTED} most frequent` : "";
  const name = (place: number) => <Name text={matrix.labels[place] || "empty text"} breaks=" ._/" />;
  const open = (pair: Confused) => (
    <a
      href={hrefOf(pair.expected, pair.predicted)}
      aria-label={`${count(pair.n)} rows expected as ${matrix.labels[pair.expected]}, predicted as ${matrix.labels[pair.predicted]}`}
    >
      {count(pair.n)}
    </a>
  );
  return (
    <Container
      header={
        <Header
          variant="h2"
          description={
            found.length ? `${counted(rows, "row")} in ${counted(found.length, "pair")} of labels${cut}` : ""
          }
        >
          What was taken for what
        </Header>
      }
    >
      {found.length ? (
        <DataTable
          label="Labels taken for others, the most frequent first"
          rows={found.slice(0, MAX_LISTED)}
          keyOf={(pair) => `${pair.expected} ${pair.predicted}`}
          columns={[
            { ...titled("confusions", "expected"), head: true, cell: (pair) => name(pair.expected) },
            { ...titled("confusions", "predicted"), cell: (pair) => name(pair.predicted) },
            { ...titled("confusions", "rows"), numeric: true, cell: open },
            { ...titled("confusions", "share"), numeric: true, cell: (pair) => percent(pair.share) },
          ]}
        />
      ) : (
        <p>
          <b className="good">✓</b> No label was taken for another.
        </p>
      )}
    </Container>
  );
}
