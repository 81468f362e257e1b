import Container from "@cloudscape-design/components/container";
import Header from "@cloudscape-design/components/header";
import type { ErrorKindCounts, Metrics } from "../data/types";
import { count, share } from "../format/numbers";
import { kindOf } from "../format/words";
import { DataTable } from "../parts/DataTable";
import { PathName } from "../parts/Text";
import { writeAddress } from "../state/address";

const MAX_FIELDS = 3;

/** What kinds of error there are, the commonest first, and where most. */
export function Kinds({ metrics }: { metrics: Metrics }) {
  const kinds = metrics.error_kinds;
  const counts = Object.entries((kinds?.total ?? {}) as Record<string, number>);
  if (!kinds || !counts.length) return null;
  const total = counts.reduce((sum, [, n]) => sum + n, 0);
  const rows = counts.toSorted((a, b) => b[1] - a[1]);
  return (
    <Container header={<Header variant="h2">What kinds of error</Header>}>
      <DataTable
        label="Kinds of error, the commonest first"
        rows={rows}
        keyOf={([kind]) => kind}
        columns={[
          {
            key: "kind",
            title: "kind",
            head: true,
            cell: ([kind]) => (
              <a href={writeAddress("errors", { kind })} title={kindOf(kind).meaning}>
                {kindOf(kind).word}
              </a>
            ),
          },
          { key: "errors", title: "errors", numeric: true, cell: ([, n]) => count(n) },
          { key: "share", title: "share", numeric: true, look: "roomy", cell: ([, n]) => share(n, total) },
          { key: "where", title: "where most", cell: ([kind]) => <Where kinds={kinds} kind={kind} /> },
        ]}
      />
    </Container>
  );
}

function Where({ kinds, kind }: { kinds: ErrorKindCounts; kind: string }) {
  const of = Object.entries(kinds.fields as Record<string, Record<string, number>>)
    .map(([field, held]) => [field, held[kind] ?? 0] as const)
    .filter(([, n]) => n > 0)
    .toSorted((a, b) => b[1] - a[1]);
  return (
    <ul className="where">
      {of.slice(0, MAX_FIELDS).map(([field, n]) => (
        <li key={field}>
          <a href={writeAddress("errors", { kind, field })}>
            <PathName path={field} />
          </a>{" "}
          <span className="quiet">{count(n)}</span>
        </li>
      ))}
      {of.length > MAX_FIELDS && <li className="quiet">and {count(of.length - MAX_FIELDS)} more</li>}
    </ul>
  );
}
