import Container from "@cloudscape-design/components/container";
import Header from "@cloudscape-design/components/header";
import TextFilter from "@cloudscape-design/components/text-filter";
import type { DocumentQuestion } from "../data/interface";
import type { PageDocument } from "../data/types";
import { count } from "../format/numbers";
import { outcomeOf } from "../format/words";
import { Answered } from "../parts/Answered";
import { Choice } from "../parts/Choice";
import { type Column, DataTable } from "../parts/DataTable";
import { Badge } from "../parts/Figures";
import { ShowMore } from "../parts/ShowMore";
import { Shown } from "../parts/Text";
import { writeAddress } from "../state/address";
import { useChoices } from "../state/useAddress";
import { usePages } from "../state/useAnswer";
import { Document, noteOf } from "./Document";
import { chosenGroup, GroupFilters } from "./GroupFilters";
import type { TabProps } from "./RunPage";
import { DocumentLink } from "./ValueTable";

const FIRST = 25;

export function Documents(props: TabProps) {
  return props.chosen.id === undefined ? <List {...props} /> : <Document {...props} />;
}

function List({ data, sums, chosen }: TabProps) {
  const { now, choose, type } = useChoices("documents", chosen);
  const order = (now.order ?? "worst") as NonNullable<DocumentQuestion["order"]>;
  const question: DocumentQuestion = { find: now.find, order, ...chosenGroup(now), first: FIRST };
  const answer = usePages(`documents ${JSON.stringify(question)}`, (after) => data.documents({ ...question, after }));
  return (
    <Container
      header={
        <Header variant="h2" description="By their scores; a document opens to all of its values">
          Documents
        </Header>
      }
    >
      <div className="filters">
        <GroupFilters metrics={sums.metrics} now={now} choose={choose} />
        <TextFilter
          filteringText={now.find ?? ""}
          filteringPlaceholder="Find by id"
          filteringAriaLabel="Find documents by id"
          filteringClearAriaLabel="Clear"
          onChange={({ detail }) => type({ find: detail.filteringText })}
        />
        <Choice
          label="Order"
          value={order}
          options={[
            { id: "worst", text: "Worst first" },
            { id: "best", text: "Best first" },
            { id: "id", text: "By id" },
          ]}
          onChange={(next) => choose({ order: next === "worst" ? undefined : next })}
        />
      </div>
      <Answered answer={answer}>
        {(list) => (
          <>
            {list.rows.length ? (
              <DataTable
                label="Documents"
                columns={columnsOf(sums, list.rows)}
                rows={list.rows}
                keyOf={(row) => `${row.document} ${row.trial}`}
              />
            ) : (
              <p className="quiet">{emptyWords(sums, !!now.find || !!now.class || !!now.slice)}</p>
            )}
            <ShowMore shown={list.rows.length} held={list.held} total={list.total} noun="document" more={list.more} />
            {sums.countsOnly && <p className="quiet small">Documents without an error are not listed.</p>}
          </>
        )}
      </Answered>
    </Container>
  );
}

const counted = (outcome: string, key: "tp" | "fd" | "fn" | "fa", canOpen = true): Column<PageDocument> => ({
  ...{ key, title: outcomeOf(outcome).word, numeric: true },
  cell: (row) => {
    const n = row[key] ?? 0;
    if (!n) return <span className="quiet">0</span>;
    if (outcome === "match" || !canOpen) return count(n);
    return <a href={writeAddress("errors", { document: row.document, outcome })}>{count(n)}</a>;
  },
});

function emptyWords({ metrics, countsOnly }: TabProps["sums"], isFiltered: boolean): string {
  if (isFiltered) return "No document in this file is chosen by these filters.";
  if (!metrics.document_count) return "No documents were compared.";
  return countsOnly ? "No result that was read has an error." : "No documents are in this file.";
}

function columnsOf(
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
