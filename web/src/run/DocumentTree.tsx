import { useMemo } from "react";
import { isRow, stepName } from "../data/paths";
import type { PageValue, Rule } from "../data/types";
import { count, rate } from "../format/numbers";
import { type Column, DataTable } from "../parts/DataTable";
import { Outcome } from "../parts/Outcomes";
import { bothSides, Name, Value } from "../parts/Text";
import { documentTree, type TreeRow } from "../state/documentTree";
import { Remarks, ruleOf, Score, Why } from "./Why";

interface Props {
  values: readonly PageValue[];
  rules: readonly Rule[];
  /** What it means that there are none. */
  emptyWords: string;
}

/** expected | predicted | outcome | score / threshold | comparator | reason, as the document is built. */
export function DocumentTree({ values, rules, emptyWords }: Props) {
  const rows = useMemo(() => documentTree(values), [values]);
  if (!rows.length) return <p className="quiet">{emptyWords}</p>;
  return (
    <DataTable
      className="values tree"
      label="Values of the document"
      columns={columns(rules)}
      rows={rows}
      keyOf={(row) => row.key}
      rowLook={(row) => (row.value ? "" : "parent")}
      headSpan={(row) => (row.value ? 1 : 3)}
    />
  );
}

function columns(rules: readonly Rule[]): Column<TreeRow>[] {
  return [
    { key: "field", title: "field", head: true, cell: (row) => <Label row={row} /> },
    { key: "expected", title: "expected", look: "side", cell: (row) => <Side row={row} side="expected" /> },
    { key: "predicted", title: "predicted", look: "side", cell: (row) => <Side row={row} side="predicted" /> },
    {
      ...{ key: "outcome", title: "outcome" },
      cell: ({ value }) => value && <Outcome name={value.outcome} accepted={value.accepted} />,
    },
    {
      ...{ key: "score", title: "score / threshold", numeric: true },
      cell: ({ value }) => value && <Score value={value} rules={rules} />,
    },
    {
      ...{ key: "comparator", title: "comparator", look: "words" },
      cell: ({ value }) => value && <small>{ruleOf(value, rules)?.how ?? ""}</small>,
    },
    {
      ...{ key: "reason", title: "reason", look: "words" },
      cell: ({ value }) => value && value.outcome !== "match" && <Why value={value} rules={rules} />,
    },
  ];
}

function Label({ row }: { row: TreeRow }) {
  const isExtra = isRow(row.label) && row.label.startsWith("+");
  return (
    <span className="field-name" style={{ paddingInlineStart: `${1.2 * row.depth}em` }}>
      {row.section ? (
        <SectionLabel of={row.section} />
      ) : (
        <Name text={isExtra ? row.label.slice(1) : stepName(row.label)} />
      )}
      {isExtra && <small className="quiet"> only predicted</small>}
      {row.paired && <small className="quiet"> ← predicted {row.paired}</small>}
      {row.pairScore !== undefined && !row.value && <small className="quiet"> likeness {rate(row.pairScore)}</small>}
      {row.wrong > 0 && <small className="wrong"> {count(row.wrong)} wrong</small>}
    </span>
  );
}

function SectionLabel({ of }: { of: NonNullable<TreeRow["section"]> }) {
  return (
    <b>
      section <Name text={of.id} />
      {of.class !== null && (
        <>
          {" · "}
          <Name text={of.class} breaks=" ._/" />
        </>
      )}
    </b>
  );
}

function Side({ row, side }: { row: TreeRow; side: "expected" | "predicted" }) {
  const { value } = row;
  if (!value) return null;
  return (
    <>
      <Value
        text={value[side]}
        marks={bothSides(value.expected, value.predicted)[side]}
        length={value[`${side}_length`]}
      />
      {side === "predicted" && <Remarks value={value} />}
    </>
  );
}
