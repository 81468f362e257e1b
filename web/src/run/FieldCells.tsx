import type { ReactNode } from "react";
import { isLeaf } from "../data/groups";
import { count } from "../format/numbers";
import { WORDS } from "../format/words";
import { Name } from "../parts/Text";
import { writeAddress } from "../state/address";
import type { CountKey, FieldRow } from "../state/fields";

const COUNTS: Record<string, string[]> = {
  fp: ["mismatch", "spurious"],
  fd: ["mismatch"],
  fa: ["spurious"],
  fn: ["missed"],
};

interface NameProps {
  row: FieldRow;
  canOpen: boolean;
  among?: Record<string, string | undefined> | undefined;
  isFolded?: boolean | undefined;
  onFold?: ((path: string) => void) | undefined;
}

/** The name of a field, which opens to its errors; a parent in a tree folds. */
export function FieldName({ row, canOpen, among, isFolded, onFold }: NameProps) {
  const { scope } = row.metrics;
  const name = <Name text={scope === "rows" ? row.path : row.label} />;
  const opened: ReactNode =
    canOpen && row.metrics.fp + row.metrics.fn ? (
      <a href={writeAddress("errors", { ...among, field: row.path })}>{name}</a>
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
      {opened}{" "}
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

interface CountProps {
  row: FieldRow;
  of: CountKey;
  canOpen: boolean;
  /** The class or slice whose values it counts. */
  among?: Record<string, string | undefined> | undefined;
}

/** A count, which opens to the values that it counts. */
export function Count({ row, of, canOpen, among }: CountProps) {
  const n = countOf(row, of);
  const [outcomes, isNear] = [COUNTS[of], of === "near"];
  const isOwn = isLeaf(row.metrics) || row.inside > 0;
  if (!n) return <span className="quiet">0</span>;
  if (!canOpen || !isOwn || (!outcomes && !isNear)) return count(n);
  const chosen = isNear ? { set: "accepted" } : { outcome: outcomes?.join(",") };
  const what = isNear ? "matches that are not identical" : outcomes?.join(" and ");
  return (
    <a
      href={writeAddress("errors", { ...among, field: row.path, ...chosen })}
      aria-label={`${count(n)} ${what} of ${row.path}`}
    >
      {count(n)}
    </a>
  );
}

function countOf(row: FieldRow, key: CountKey): number {
  if (key === "values" || key === "near") return row[key];
  if (key === "documents") return row.metrics.rates.strict_f1.n ?? 0;
  return row.metrics[key];
}
