import type { ReactNode } from "react";
import { isLeaf } from "../data/groups";
import { pathName } from "../data/paths";
import { count, number } from "../format/numbers";
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
  const name = <Name text={scope === "rows" ? pathName(row.path) : row.label} />;
  const opened: ReactNode =
    canOpen && row.metrics.fp + row.metrics.fn ? (
      <a href={writeAddress("errors", { ...among, field: row.isOther ? row.key : row.path })}>{name}</a>
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
          aria-label={`fields of ${pathName(row.path)}`}
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
      {row.isOther && (
        <span className="tag odd" title="values in place of an object or a list">
          {WORDS.scopes.other_kind}
        </span>
      )}
      {row.inside > 0 && <small className="quiet whole"> sum of {count(row.inside)}</small>}
      {scope === "rows" && <RowCounts row={row} />}
    </span>
  );
}

/** What became of the rows of a list; no count is parted from its word. */
function RowCounts({ row: { metrics } }: { row: FieldRow }) {
  const counts = [`${count(metrics.tp)} paired`, `${count(metrics.fd)} rejected`];
  counts.push(`${count(metrics.fn)} missed`, `${count(metrics.fa)} extra`);
  return (
    <small className="quiet">
      {counts.map((text, at) => (
        <span key={text}>
          {" "}
          <span className="whole">{at < counts.length - 1 ? `${text} ·` : text}</span>
        </span>
      ))}
    </small>
  );
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
      href={writeAddress("errors", { ...among, field: row.key, ...chosen })}
      aria-label={`${count(n)} ${what} of ${pathName(row.path)}`}
    >
      {count(n)}
    </a>
  );
}

/** The points that a field lost; those of rows and whole objects are lost in their fields. */
export function Lost({ of }: { of: FieldRow }) {
  if (of.lost) return <b>{number(of.lost)}</b>;
  const isOwn = isLeaf(of.metrics) || of.inside > 0;
  return <span className="quiet">{isOwn ? "0" : <span title="counted in the fields">–</span>}</span>;
}

function countOf(row: FieldRow, key: CountKey): number {
  if (key === "values" || key === "near") return row[key];
  if (key === "documents") return row.metrics.rates.strict_f1.n ?? 0;
  return row.metrics[key];
}
