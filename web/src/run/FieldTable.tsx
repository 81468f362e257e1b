import type { ReactNode } from "react";
import { isLeaf } from "../data/totals";
import { count, number } from "../format/numbers";
import { WORDS } from "../format/words";
import { type Column, DataTable, type Sorting } from "../parts/DataTable";
import { RateBar, RateCell } from "../parts/Figures";
import { Name } from "../parts/Text";
import { writeAddress } from "../state/address";
import { type CountKey, type FieldRow, rateOf, type SortKey } from "../state/fields";

interface Props {
  label: string;
  rows: readonly FieldRow[];
  canOpen: boolean;
  columns: "few" | "main" | "all";
  sorting?: Sorting | undefined;
  onSort?: (sorting: Sorting) => void;
  /** Folds and unfolds a parent, in a tree. */
  folded?: ReadonlySet<string>;
  onFold?: ((path: string) => void) | undefined;
}

const HINTS = new Map(WORDS.tables.fields.map((column) => [column.key, "hint" in column ? column.hint : undefined]));
const COUNTS: Record<string, string[]> = {
  fp: ["mismatch", "spurious"],
  fd: ["mismatch"],
  fa: ["spurious"],
  fn: ["missed"],
};

/** Fields with their rates and counts; every count of something wrong opens to its values. */
export function FieldTable({ label, rows, canOpen, columns, sorting, onSort, folded, onFold }: Props) {
  const opens = (row: FieldRow) => canOpen && row.values > 0;
  const rateColumn = (key: SortKey, title: string): Column<FieldRow> => ({
    ...{ key, title, hint: HINTS.get(key), numeric: true, sorts: "up" },
    cell: (row) => <RateCell of={rateOf(row, key)} />,
  });
  const countColumn = (key: CountKey, title: string): Column<FieldRow> => ({
    ...{ key, title, hint: HINTS.get(key), numeric: true, sorts: "down" },
    cell: (row) => <Count row={row} of={key} canOpen={opens(row)} />,
  });
  const name: Column<FieldRow> = {
    ...{ key: "field", title: "field", head: true, sorts: "up" },
    cell: (row) => <FieldName row={row} canOpen={opens(row)} isFolded={folded?.has(row.path)} onFold={onFold} />,
  };
  const f1: Column<FieldRow> = {
    ...{ key: "strict_f1", title: "F1 (strict)", hint: HINTS.get("strict_f1"), numeric: true, sorts: "up" },
    cell: (row) => <RateBar of={row.metrics.rates.strict_f1} />,
  };
  const lost: Column<FieldRow> = {
    ...{ key: "lost", title: "lost", hint: "points lost: wrong values times the weight", numeric: true, sorts: "down" },
    cell: (row) => (row.lost ? <b>{number(row.lost)}</b> : <span className="quiet">0</span>),
  };
  const main = [
    rateColumn("precision", "precision"),
    rateColumn("strict_recall", "recall (strict)"),
    f1,
    rateColumn("accuracy", "accuracy"),
    countColumn("tp", "TP"),
    countColumn("fp", "FP"),
    countColumn("fn", "FN"),
  ];
  const more = [
    rateColumn("recall", "detection recall"),
    rateColumn("f1", "F1"),
    countColumn("fd", "FD"),
    countColumn("fa", "FA"),
    countColumn("tn", "TN"),
    countColumn("values", "values"),
    countColumn("documents", "n"),
    countColumn("near", "near"),
  ];
  const chosen = {
    few: [name, f1, countColumn("fp", "FP"), countColumn("fn", "FN"), countColumn("values", "values"), lost],
    main: [name, ...main, lost],
    all: [name, ...main, lost, ...more],
  }[columns];
  return (
    <DataTable
      label={label}
      columns={chosen}
      rows={rows}
      keyOf={(row) => `${row.path} ${row.metrics.scope} ${row.inside}`}
      sorting={sorting}
      onSort={onSort}
      rowLook={(row) => (row.inside ? "parent" : "")}
    />
  );
}

interface NameProps {
  row: FieldRow;
  canOpen: boolean;
  isFolded?: boolean | undefined;
  onFold?: ((path: string) => void) | undefined;
}

function FieldName({ row, canOpen, isFolded, onFold }: NameProps) {
  const { scope } = row.metrics;
  const name = <Name text={scope === "rows" ? row.path : row.label} />;
  const opened: ReactNode =
    canOpen && row.metrics.fp + row.metrics.fn ? (
      <a href={writeAddress("errors", { field: row.path })}>{name}</a>
    ) : (
      name
    );
  return (
    <span className="field-name" style={{ paddingInlineStart: `${1.2 * row.depth}em` }}>
      {row.inside > 0 && onFold && (
        <button
          type="button"
          className="plain-button fold"
          aria-expanded={!isFolded}
          aria-label={`fields of ${row.path}`}
          onClick={() => onFold(row.path)}
        >
          {isFolded ? "▸" : "▾"}
        </button>
      )}
      {scope === "rows" && WORDS.scopes.rows}
      {opened}
      {scope === "object" && !row.inside && (
        <span className="tag" title="counted as one, not part of the totals">
          object
        </span>
      )}
      {scope === "undeclared" && <span className="tag odd">{WORDS.scopes.undeclared}</span>}
      {row.inside > 0 && <small className="quiet"> sum of {count(row.inside)}</small>}
      {scope === "rows" && <small className="quiet"> {rowCounts(row)}</small>}
    </span>
  );
}

function rowCounts({ metrics }: FieldRow): string {
  const named = [`${count(metrics.tp)} paired`, `${count(metrics.fd)} rejected`];
  return [...named, `${count(metrics.fn)} missed`, `${count(metrics.fa)} extra`].join(" · ");
}

function Count({ row, of, canOpen }: { row: FieldRow; of: CountKey; canOpen: boolean }) {
  const n = countOf(row, of);
  const [outcomes, isNear] = [COUNTS[of], of === "near"];
  const isOwn = isLeaf(row.metrics) || row.inside > 0;
  if (!n) return <span className="quiet">0</span>;
  if (!canOpen || !isOwn || (!outcomes && !isNear)) return count(n);
  const chosen = isNear ? { set: "accepted" } : { outcome: outcomes?.join(",") };
  const what = isNear ? "matches that are not identical" : outcomes?.join(" and ");
  return (
    <a href={writeAddress("errors", { field: row.path, ...chosen })} aria-label={`${count(n)} ${what} of ${row.path}`}>
      {count(n)}
    </a>
  );
}

function countOf(row: FieldRow, key: CountKey): number {
  if (key === "values" || key === "near") return row[key];
  if (key === "documents") return row.metrics.rates.strict_f1.n ?? 0;
  return row.metrics[key];
}
