import Container from "@cloudscape-design/components/container";
import Header from "@cloudscape-design/components/header";
import SegmentedControl from "@cloudscape-design/components/segmented-control";
import TextFilter from "@cloudscape-design/components/text-filter";
import type { DocumentQuestion } from "../data/interface";
import type { PageDocument } from "../data/types";
import { count } from "../format/numbers";
import { outcomeOf } from "../format/words";
import { Answered } from "../parts/Answered";
import { type Column, DataTable } from "../parts/DataTable";
import { Badge } from "../parts/Figures";
import { ShowMore } from "../parts/ShowMore";
import { Shown } from "../parts/Text";
import { writeAddress } from "../state/address";
import { useChoices } from "../state/useAddress";
import { usePages } from "../state/useAnswer";
import { Document } from "./Document";
import type { TabProps } from "./RunPage";
import { DocumentLink } from "./ValueTable";

const FIRST = 25;

export function Documents(props: TabProps) {
  return props.chosen.id === undefined ? <List {...props} /> : <Document {...props} />;
}

function List({ data, chosen }: TabProps) {
  const { now, choose, type } = useChoices("documents", chosen);
  const order = (now.order ?? "worst") as NonNullable<DocumentQuestion["order"]>;
  const question: DocumentQuestion = { find: now.find, order, first: FIRST };
  const answer = usePages(JSON.stringify(question), (after) => data.documents({ ...question, after }));
  return (
    <Container
      header={
        <Header variant="h2" description="By their scores; a document opens to all of its values">
          Documents
        </Header>
      }
    >
      <div className="filters">
        <TextFilter
          filteringText={now.find ?? ""}
          filteringPlaceholder="Find by id"
          filteringAriaLabel="Find documents by id"
          filteringClearAriaLabel="Clear"
          onChange={({ detail }) => type({ find: detail.filteringText })}
        />
        <SegmentedControl
          label="Order of the documents"
          selectedId={order}
          options={[
            { id: "worst", text: "Worst first" },
            { id: "best", text: "Best first" },
            { id: "id", text: "By id" },
          ]}
          onChange={({ detail }) => choose({ order: detail.selectedId === "worst" ? undefined : detail.selectedId })}
        />
      </div>
      <Answered answer={answer}>
        {(list) => (
          <>
            {list.rows.length ? (
              <DataTable
                label="Documents"
                columns={COLUMNS}
                rows={list.rows}
                keyOf={(row) => `${row.document} ${row.trial}`}
              />
            ) : (
              <p className="quiet">
                {now.find ? "No document in this file is called so." : "No documents were compared."}
              </p>
            )}
            <ShowMore shown={list.rows.length} held={list.held} total={list.total} noun="document" more={list.more} />
          </>
        )}
      </Answered>
    </Container>
  );
}

const counted = (outcome: string, key: "tp" | "fd" | "fn" | "fa"): Column<PageDocument> => ({
  ...{ key, title: outcomeOf(outcome).word, numeric: true },
  cell: (row) => {
    const n = row[key] ?? 0;
    if (!n) return <span className="quiet">0</span>;
    if (outcome === "match") return count(n);
    return <a href={writeAddress("errors", { document: row.document, outcome })}>{count(n)}</a>;
  },
});

const COLUMNS: Column<PageDocument>[] = [
  {
    ...{ key: "document", title: "document", head: true },
    cell: (row) => <DocumentLink document={row.document} trial={row.trial ?? 1} />,
  },
  { key: "score", title: "score", numeric: true, cell: (row) => <Badge value={row.score} /> },
  counted("match", "tp"),
  counted("mismatch", "fd"),
  counted("missed", "fn"),
  counted("spurious", "fa"),
  {
    ...{ key: "note", title: "note", look: "words" },
    cell: (row) => (
      <>
        {(row.status ?? "scored") !== "scored" && <span className="tag odd">{row.status?.replaceAll("_", " ")}</span>}{" "}
        {row.reason && <Shown text={row.reason} />}
      </>
    ),
  },
];
