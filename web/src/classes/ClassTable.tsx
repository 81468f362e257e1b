import type { Rate } from "../data/types";
import { count } from "../format/numbers";
import { type Column, DataTable, type Sorting } from "../parts/DataTable";
import { RateBar, RateCell } from "../parts/Figures";
import { Name } from "../parts/Text";
import { byKey } from "../state/sorting";

/** How well one class was found, whoever counted it. */
export interface ClassLine {
  /** The class as it is called, and the type of its label where that is no text. */
  name: string;
  type?: string;
  f1: Rate;
  precision: Rate;
  recall: Rate;
  support: number;
  predicted: number;
  tp: number;
  fp: number;
  fn: number;
  /** Where its counts open to. */
  hrefs: Partial<Record<CountKey, string>>;
}

const COUNT_KEYS = ["support", "predicted", "tp", "fp", "fn"] as const;
/** The columns by which classes are sorted. */
export const CLASS_KEYS = [...(["name", "f1", "precision", "recall"] as const), ...COUNT_KEYS];
type CountKey = (typeof COUNT_KEYS)[number];
type ClassKey = (typeof CLASS_KEYS)[number];

const WORST: Sorting<ClassKey> = { key: "f1", isDown: false };

interface Props {
  rows: readonly ClassLine[];
  /** What is counted: a row, a section. */
  noun: string;
  sorting?: Sorting<ClassKey> | undefined;
  onSort: (sorting: Sorting) => void;
}

/** Classes, worst first, with their rates, intervals and counts. */
export function ClassTable({ rows, noun, sorting = WORST, onSort }: Props) {
  const rateColumn = (key: "precision" | "recall", hint: string): Column<ClassLine> => ({
    ...{ key, title: key, hint, numeric: true, sorts: "up" },
    cell: (row) => <RateCell of={row[key]} />,
  });
  const countColumn = (key: CountKey, title: string, hint: string): Column<ClassLine> => ({
    ...{ key, title, hint, numeric: true, sorts: "down" },
    cell: (row) => <Count row={row} of={key} title={title} />,
  });
  const columns: Column<ClassLine>[] = [
    { key: "name", title: "class", head: true, sorts: "up", cell: (row) => <ClassName row={row} /> },
    {
      ...{ key: "f1", title: "F1", hint: "2PR / (P + R)", numeric: true, sorts: "up" },
      cell: (row) => <RateBar of={row.f1} />,
    },
    rateColumn("precision", `of the ${noun}s predicted as the class, those that are right`),
    rateColumn("recall", `of the ${noun}s expected as the class, those that are right`),
    countColumn("support", "n expected", `${noun}s expected as the class`),
    countColumn("predicted", "n predicted", `${noun}s predicted as the class`),
    countColumn("tp", "TP", "predicted as the class, and right"),
    countColumn("fp", "FP", "predicted as the class, and wrong"),
    countColumn("fn", "FN", "expected as the class, and not right"),
  ];
  return (
    <DataTable
      label="Classes, worst first"
      columns={columns}
      rows={sorted(rows, sorting)}
      keyOf={(row) => `${row.type} ${row.name}`}
      sorting={sorting}
      onSort={onSort}
    />
  );
}

function sorted(rows: readonly ClassLine[], { key, isDown }: Sorting<ClassKey>): ClassLine[] {
  const valueIn = (row: ClassLine) => {
    if (key === "f1" || key === "precision" || key === "recall") return row[key].value;
    return row[key];
  };
  return byKey(rows, valueIn, isDown, (a, b) => b.support - a.support || a.name.localeCompare(b.name));
}

function ClassName({ row }: { row: ClassLine }) {
  return (
    <>
      {row.name ? <Name text={row.name} breaks=" ._/" /> : <span className="quiet">empty text</span>}{" "}
      {row.type && row.type !== "string" && <span className="tag">{row.type}</span>}
    </>
  );
}

function Count({ row, of, title }: { row: ClassLine; of: CountKey; title: string }) {
  const n = row[of];
  if (!n) return <span className="quiet">0</span>;
  const href = row.hrefs[of];
  if (!href) return count(n);
  return (
    <a href={href} aria-label={`${count(n)} ${title} of ${row.name}`}>
      {count(n)}
    </a>
  );
}
