import type { Confusion, LabelRow } from "../data/types";
import { count } from "../format/numbers";
import { type Column, DataTable } from "../parts/DataTable";
import { Name, Value } from "../parts/Text";

interface Props {
  rows: readonly LabelRow[];
  matrix: Confusion;
}

export function LabelTable({ rows, matrix }: Props) {
  const label = (place: number) => <Name text={matrix.labels[place] || "empty text"} breaks=" ._/" />;
  const columns: Column<LabelRow>[] = [
    { key: "line", title: "line", head: true, cell: (row) => <>line {count(row.line)}</> },
    { key: "expected", title: "expected", look: "side", cell: (row) => label(row.expected) },
    { key: "predicted", title: "predicted", look: "side", cell: (row) => label(row.predicted) },
    { key: "right", title: "right", cell: (row) => <Right is={row.is_right} /> },
    ...optional("golden", "golden, in full"),
    ...optional("answer", "predicted, in full"),
    ...optional("metadata", "metadata"),
  ];
  function optional(key: "golden" | "answer" | "metadata", title: string): Column<LabelRow>[] {
    if (!rows.some((row) => row[key])) return [];
    return [{ key, title, look: "side", cell: (row) => (row[key] ? <Value text={row[key]} /> : null) }];
  }
  return (
    <DataTable className="values labels" label="Rows" columns={columns} rows={rows} keyOf={(row) => `${row.line}`} />
  );
}

function Right({ is }: { is: boolean }) {
  return (
    <span className={`outcome ${is ? "match" : "mismatch"}`}>
      <i aria-hidden="true">{is ? "✓" : "✗"}</i> {is ? "right" : "wrong"}
    </span>
  );
}
