import { isCompared } from "../data/documents";
import type { PageDocument } from "../data/types";
import { count } from "../format/numbers";
import { outcomeOf } from "../format/words";
import type { Column } from "../parts/DataTable";
import { Badge } from "../parts/Figures";
import { Nothing, Shown } from "../parts/Text";
import { writeAddress } from "../state/address";
import { noteOf } from "./Document";
import type { TabProps } from "./RunPage";
import { useNamedTrial } from "./Trials";
import { DocumentLink } from "./ValueTable";

/** A document with its counts, its classes, and what else became of it. */
export function columnsOf(
  { metrics, hasRows, countsOnly }: TabProps["sums"],
  rows: readonly PageDocument[],
): Column<PageDocument>[] {
  return [
    {
      ...{ key: "document", title: "document", head: true },
      cell: (row) => <DocumentLink document={row.document} trial={row.trial ?? 1} />,
    },
    { key: "score", title: "score", numeric: true, cell: (row) => <Badge value={row.score} /> },
    counted("match", "tp"),
    counted("mismatch", "fd", hasRows),
    counted("missed", "fn", hasRows),
    counted("spurious", "fa", hasRows),
    ...(metrics.classes && !countsOnly ? [CLASSES] : []),
    ...(rows.some(hasNote) ? [NOTE] : []),
  ];
}

/** The class of a document, or those of its sections. */
const CLASSES: Column<PageDocument> = {
  ...{ key: "class", title: "class", look: "words names-of-classes" },
  cell: (row) => {
    const names = [...new Set((row.sections ?? []).map((section) => section.class ?? ""))].filter(Boolean);
    return <Shown text={(row.class ? [row.class] : names).join(", ")} breaks=" ._/" />;
  },
};

function hasNote(row: PageDocument): boolean {
  const { status, reason } = noteOf(row);
  return !!status || !!reason;
}

const NOTE: Column<PageDocument> = {
  ...{ key: "note", title: "note", look: "words note" },
  cell: (row) => {
    const { status, reason } = noteOf(row);
    return (
      <>
        {status && <span className="tag odd">{status}</span>} {reason && <Shown text={reason} />}
      </>
    );
  },
};

const counted = (outcome: string, key: "tp" | "fd" | "fn" | "fa", canOpen = true): Column<PageDocument> => ({
  ...{ key, title: outcomeOf(outcome).word, numeric: true },
  cell: (row) => {
    if (!isCompared(row)) return <Nothing />;
    const n = row[key] ?? 0;
    if (!n) return <span className="quiet">0</span>;
    return outcome === "match" || !canOpen ? count(n) : <Opening row={row} outcome={outcome} n={n} />;
  },
});

/** A count that opens to the values of its document, and of its trial where there are several. */
function Opening({ row, outcome, n }: { row: PageDocument; outcome: string; n: number }) {
  const { document } = row;
  const trial = useNamedTrial({ document, trial: row.trial ?? 1 });
  return <a href={writeAddress("errors", { document, trial: trial?.toString(), outcome })}>{count(n)}</a>;
}
