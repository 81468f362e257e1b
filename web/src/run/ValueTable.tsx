import { useMemo } from "react";
import type { PageValue, Rule } from "../data/types";
import { number } from "../format/numbers";
import { type Column, DataTable } from "../parts/DataTable";
import { Outcome } from "../parts/Outcomes";
import { bothSides, Name, PathName, Value } from "../parts/Text";
import { writeAddress } from "../state/address";
import { TrialName } from "./Trials";
import { Remarks, Score, Why } from "./Why";

interface Props {
  label: string;
  rows: readonly PageValue[];
  rules: readonly Rule[];
  /** Leaves out the column of documents: there is one only. */
  ofDocument?: boolean;
}

/** Compared values, both sides with their difference marked, and why each counts as it does. */
export function ValueTable({ label, rows, rules, ofDocument }: Props) {
  const sides = useMemo(() => new Map(rows.map((row) => [row, bothSides(row.expected, row.predicted)])), [rows]);
  const document: Column<PageValue> = {
    ...{ key: "document", title: "document" },
    cell: (row) => (
      <>
        <DocumentLink document={row.document} trial={row.trial ?? 1} />
        <SectionName section={row.section} of={row.class} />
      </>
    ),
  };
  const columns: Column<PageValue>[] = [
    ...(ofDocument ? [] : [document]),
    {
      ...{ key: "path", title: "path", head: true },
      cell: (row) => (
        <>
          <Path row={row} />
          {ofDocument && <SectionName section={row.section} of={row.class} />}
        </>
      ),
    },
    {
      ...{ key: "expected", title: "expected", look: "side" },
      cell: (row) => <Value text={row.expected} marks={sides.get(row)?.expected} length={row.expected_length} />,
    },
    {
      ...{ key: "predicted", title: "predicted", look: "side" },
      cell: (row) => (
        <>
          <Value text={row.predicted} marks={sides.get(row)?.predicted} length={row.predicted_length} />
          <Remarks value={row} />
          {typeof row.confidence === "number" && (
            <small className="quiet">confidence {number(row.confidence, 4)}</small>
          )}
        </>
      ),
    },
    { key: "outcome", title: "outcome", cell: (row) => <Outcome name={row.outcome} accepted={row.accepted} /> },
    {
      ...{ key: "score", title: "score / threshold", numeric: true },
      cell: (row) => <Score value={row} rules={rules} />,
    },
    { key: "because", title: "because", look: "words", cell: (row) => <Why value={row} rules={rules} /> },
  ];
  const keyOf = (row: PageValue) =>
    [row.document, row.trial, row.section, row.class, row.path, row.predicted_path, row.field].join(" ");
  return <DataTable className="values" label={label} columns={columns} rows={rows} keyOf={keyOf} />;
}

export function DocumentLink({ document, trial }: { document: string; trial: number | undefined }) {
  const chosen = { id: document, trial: trial && trial > 1 ? String(trial) : undefined };
  return (
    <a href={writeAddress("document", chosen)}>
      <Name text={document} breaks="/_-" />
      <TrialName document={document} trial={trial} />
    </a>
  );
}

/** The section and the class of a value, where it has any. */
export function SectionName({ section, of }: { section?: string | null | undefined; of?: string | null | undefined }) {
  if (!section && !of) return null;
  return (
    <small className="quiet section">
      {section && (
        <>
          section <Name text={section} />
        </>
      )}
      {section && of && " · "}
      {of && <Name text={of} breaks=" ._/" />}
    </small>
  );
}

/** Where the expected document has the value, and the row of the predicted one with which it was paired. */
function Path({ row }: { row: PageValue }) {
  const path = row.path ?? row.predicted_path ?? row.field;
  const other = row.path && row.predicted_path && row.path !== row.predicted_path ? row.predicted_path : null;
  return (
    <>
      <PathName path={path} />
      {other && (
        <small className="quiet" title="where the predicted document has it">
          {" ← "}
          <PathName path={other.match(/\[\d+\]/g)?.join("") ?? other} />
        </small>
      )}
    </>
  );
}
