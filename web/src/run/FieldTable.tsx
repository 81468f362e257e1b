import { WORDS } from "../format/words";
import { type Column, DataTable, type Sorting } from "../parts/DataTable";
import { RateBar, RateCell } from "../parts/Figures";
import { type CountKey, type FieldRow, rateOf, type SortKey } from "../state/fields";
import { Count, FieldName, Lost } from "./FieldCells";

interface Props {
  label: string;
  rows: readonly FieldRow[];
  canOpen: boolean;
  /** The class or slice whose fields they are. */
  among?: Record<string, string | undefined>;
  columns: "few" | "main" | "all";
  sorting?: Sorting | undefined;
  onSort?: (sorting: Sorting) => void;
  /** Folds and unfolds a parent, in a tree. */
  folded?: ReadonlySet<string>;
  onFold?: ((path: string) => void) | undefined;
}

const HINTS = new Map(WORDS.tables.fields.map((column) => [column.key, "hint" in column ? column.hint : undefined]));

/** Fields with their rates and counts; every count of something wrong opens to its values. */
export function FieldTable({ label, rows, canOpen, among, columns, sorting, onSort, folded, onFold }: Props) {
  const opens = (row: FieldRow) => canOpen && row.values > 0;
  const rateColumn = (key: SortKey, title: string): Column<FieldRow> => ({
    ...{ key, title, hint: HINTS.get(key), numeric: true, sorts: "up" },
    cell: (row) => <RateCell of={rateOf(row, key)} />,
  });
  const countColumn = (key: CountKey, title: string): Column<FieldRow> => ({
    ...{ key, title, hint: HINTS.get(key), numeric: true, sorts: "down" },
    cell: (row) => <Count row={row} of={key} canOpen={opens(row)} among={among} />,
  });
  const name: Column<FieldRow> = {
    ...{ key: "field", title: "field", head: true, sorts: "up" },
    cell: (row) => (
      <FieldName row={row} canOpen={opens(row)} among={among} isFolded={folded?.has(row.path)} onFold={onFold} />
    ),
  };
  const f1: Column<FieldRow> = {
    ...{ key: "strict_f1", title: "F1 (strict)", hint: HINTS.get("strict_f1"), numeric: true, sorts: "up" },
    look: columns === "few" ? "wide" : "",
    cell: (row) => <RateBar of={row.metrics.rates.strict_f1} />,
  };
  const lost: Column<FieldRow> = {
    ...{ key: "lost", title: "lost", hint: "points lost: wrong values times the weight", numeric: true, sorts: "down" },
    cell: (row) => <Lost of={row} />,
  };
  // What matters most stands next to the name, where a phone shows it.
  const main = [
    name,
    f1,
    lost,
    rateColumn("precision", "precision"),
    rateColumn("strict_recall", "recall (strict)"),
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
    few: [
      name,
      f1,
      lost,
      countColumn("fp", "FP"),
      countColumn("fn", "FN"),
      { ...countColumn("values", "values"), look: "roomy" },
    ],
    main,
    all: [...main, ...more],
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
