import { Fragment, type ReactNode, useId } from "react";

export interface Column<Row> {
  key: string;
  title: ReactNode;
  hint?: string | undefined;
  cell: (row: Row) => ReactNode;
  /** Numbers stand to the right. */
  numeric?: boolean;
  /** The cell that names its row. */
  head?: boolean;
  /** Whether the column sorts, and in which direction first. */
  sorts?: "up" | "down" | undefined;
  look?: string;
}

export interface Sorting<Key extends string = string> {
  key: Key;
  isDown: boolean;
}

/** With more columns than this a table is too wide for paper as it is. */
const MANY = 14;

interface Props<Row> {
  label: string;
  columns: Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  sorting?: Sorting | undefined;
  onSort?: (sorting: Sorting) => void;
  rowLook?: (row: Row) => string;
  /** Over how many columns the name of a row goes, which then has nothing in them. */
  headSpan?: (row: Row) => number;
  className?: string;
}

/** A table of numbers and texts: dense, sortable, and scrolled sideways where the window is narrow. */
export function DataTable<Row>({
  label,
  columns,
  rows,
  keyOf,
  sorting,
  onSort,
  rowLook,
  headSpan,
  className,
}: Props<Row>) {
  const id = useId();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys
    <section className="scroll" aria-labelledby={id} tabIndex={0}>
      <table className={`data ${className ?? ""} ${columns.length > MANY ? "many" : ""}`}>
        <caption id={id} className="heard">
          {label}
        </caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head key={column.key} column={column} sorting={sorting} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} className={rowLook?.(row)}>
              {spanned(columns, headSpan?.(row) ?? 1).map(([column, span]) => (
                <Cell key={column.key} column={column} row={row} span={span} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The columns of a row, and over how many of them each cell goes. */
function spanned<Row>(columns: Column<Row>[], span: number): [Column<Row>, number][] {
  const head = columns.findIndex((column) => column.head);
  const isCovered = (at: number) => at > head && at < head + span;
  return columns.flatMap((column, at) => (isCovered(at) ? [] : [[column, at === head ? span : 1]]));
}

function Cell<Row>({ column, row, span }: { column: Column<Row>; row: Row; span: number }) {
  const look = `${column.numeric ? "number" : ""} ${column.look ?? ""}`;
  const content = <Fragment>{column.cell(row)}</Fragment>;
  return column.head ? (
    <th scope="row" className={look} colSpan={span}>
      {content}
    </th>
  ) : (
    <td className={look} data-title={typeof column.title === "string" ? column.title : undefined}>
      <div>{content}</div>
    </td>
  );
}

interface HeadProps<Row> {
  column: Column<Row>;
  sorting: Sorting | undefined;
  onSort: ((sorting: Sorting) => void) | undefined;
}

function Head<Row>({ column, sorting, onSort }: HeadProps<Row>) {
  const isSorted = sorting?.key === column.key;
  const order = isSorted ? (sorting.isDown ? "descending" : "ascending") : undefined;
  const look = `${column.numeric ? "number" : ""} ${column.look ?? ""}`;
  if (!column.sorts || !onSort) {
    return (
      <th scope="col" className={look} title={column.hint}>
        {column.title}
      </th>
    );
  }
  const isDown = isSorted ? !sorting.isDown : column.sorts === "down";
  return (
    <th scope="col" className={look} aria-sort={order}>
      <button type="button" title={column.hint} onClick={() => onSort({ key: column.key, isDown })}>
        {column.title}
        <span className="sort" aria-hidden="true">
          {isSorted ? (sorting.isDown ? "▼" : "▲") : ""}
        </span>
      </button>
    </th>
  );
}
