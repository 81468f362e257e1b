import { useMemo } from "react";
import type { PageValue, Rule } from "../data/types";
import { number, rate } from "../format/numbers";
import { kindOf } from "../format/words";
import { type Column, DataTable } from "../parts/DataTable";
import { Outcome } from "../parts/Outcomes";
import { bothSides, Name, Shown, Value } from "../parts/Text";
import { writeAddress } from "../state/address";

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
      cell: (row) => <Value text={row.expected} parts={sides.get(row)?.expected} length={row.expected_length} />,
    },
    {
      ...{ key: "predicted", title: "predicted", look: "side" },
      cell: (row) => (
        <>
          <Value text={row.predicted} parts={sides.get(row)?.predicted} length={row.predicted_length} />
          {typeof row.confidence === "number" && (
            <small className="quiet">confidence {number(row.confidence, 4)}</small>
          )}
        </>
      ),
    },
    { key: "outcome", title: "outcome", cell: (row) => <Outcome name={row.outcome} accepted={row.accepted} /> },
    {
      ...{ key: "score", title: "score / threshold", numeric: true },
      cell: (row) => <Score row={row} threshold={ruleOf(row, rules)?.threshold} />,
    },
    { key: "because", title: "because", look: "words", cell: (row) => <Because row={row} rules={rules} /> },
  ];
  const keyOf = (row: PageValue) =>
    [row.document, row.trial, row.section, row.class, row.path, row.predicted_path, row.field].join(" ");
  return <DataTable className="values" label={label} columns={columns} rows={rows} keyOf={keyOf} />;
}

export function DocumentLink({ document, trial }: { document: string; trial: number }) {
  const chosen = { id: document, trial: trial > 1 ? String(trial) : undefined };
  return (
    <a href={writeAddress("document", chosen)}>
      <Name text={document} breaks="/_-" />
      {trial > 1 && ` (trial ${trial})`}
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
      <Name text={path} />
      {other && (
        <small className="quiet" title="where the predicted document has it">
          {" ← "}
          <Name text={other.match(/\[\d+\]/g)?.join("") ?? other} />
        </small>
      )}
    </>
  );
}

function Score({ row, threshold }: { row: PageValue; threshold: number | null | undefined }) {
  if (row.outcome === "missed" || row.outcome === "spurious") return <span className="quiet">–</span>;
  return (
    <span className="score">
      {rate(row.raw_score ?? 1)} <small className="quiet">/ {number(threshold)}</small>
    </span>
  );
}

function Because({ row, rules }: { row: PageValue; rules: readonly Rule[] }) {
  const words = because(row, rules);
  if (!row.kind && !words) return null;
  return (
    <>
      {row.kind && <b title={kindOf(row.kind).meaning}>{kindOf(row.kind).word}</b>}{" "}
      <small className="quiet">
        <Shown text={words} />
      </small>
    </>
  );
}

/** The rule of a field; a list of values has it at the list. */
export function ruleOf(row: PageValue, rules: readonly Rule[]): Rule | undefined {
  const of = rules.filter((rule) => rule.path === row.field);
  return of.find((rule) => !!rule.class && rule.class === row.class) ?? of.find((rule) => !rule.class);
}

/** Why a value counts as it does, in words. */
export function because(row: PageValue, rules: readonly Rule[]): string {
  const rule = ruleOf(row, rules);
  if (row.outcome === "missed") return row.reason || "expected, not predicted";
  if (row.outcome === "spurious") return row.reason || "predicted, not expected";
  if (row.reason) return row.reason;
  if (!rule) return "";
  const score = row.raw_score ?? 1;
  if (row.outcome === "match") return score < 1 ? `${rule.how}: ${rate(score)} ≥ ${number(rule.threshold)}` : rule.how;
  return `${rule.how}: ${rate(score)} < ${number(rule.threshold)}`;
}
