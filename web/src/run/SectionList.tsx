import Button from "@cloudscape-design/components/button";
import Container from "@cloudscape-design/components/container";
import Header from "@cloudscape-design/components/header";
import { isClass } from "../data/matrix";
import type { Confusion, SectionQuestion, SectionRow } from "../data/types";
import { plain, quoted } from "../format/text";
import { Answered } from "../parts/Answered";
import { type Column, DataTable } from "../parts/DataTable";
import { ShowMore } from "../parts/ShowMore";
import { Name } from "../parts/Text";
import { writeAddress } from "../state/address";
import { usePages } from "../state/useAnswer";
import type { TabProps } from "./RunPage";
import { Fault, pageRanges } from "./SectionFaults";
import { DocumentLink } from "./ValueTable";

const FIRST = 10;

interface Props extends TabProps {
  matrix: Confusion;
  at: { expected: number | undefined; predicted: number | undefined };
}

/** The sections of one cell of the matrix, with the documents that hold them. */
export function SectionList({ data, matrix, at }: Props) {
  const nameOf = (place: number | undefined) =>
    place === undefined ? undefined : isClass(matrix, place) ? (matrix.labels[place] ?? "") : null;
  const question = { expected: nameOf(at.expected), predicted: nameOf(at.predicted), first: FIRST };
  const answer = usePages(`sections ${JSON.stringify(question)}`, (after) => data.sections({ ...question, after }));
  const shown = question.expected ?? question.predicted;
  const isAll = at.expected === undefined && at.predicted === undefined;
  return (
    <Container
      header={
        <Header
          variant="h2"
          description={plain(described(question))}
          actions={!isAll && <Button href={writeAddress("classes")}>All errors</Button>}
        >
          {at.expected !== undefined && at.predicted !== undefined ? "Sections of this cell" : "Classification errors"}
        </Header>
      }
    >
      <Answered answer={answer}>
        {(list) => (
          <>
            {list.rows.length > 0 && (
              <DataTable
                label="Sections"
                columns={columnsOf(list.rows, at.expected === undefined || at.predicted === undefined)}
                rows={list.rows}
                keyOf={(row) => JSON.stringify([row.document, row.trial, row.section])}
              />
            )}
            <ShowMore
              shown={list.rows.length}
              held={list.held}
              total={list.total}
              noun="section"
              more={list.more}
              command={`fieldwise show RESULTS ${shown ? `--class ${quoted(shown)} ` : ""}--limit 0`}
            />
          </>
        )}
      </Answered>
    </Container>
  );
}

function described({ expected, predicted }: SectionQuestion): string {
  if (expected === undefined && predicted === undefined) return "Sections of the wrong class, lost ones and extra ones";
  if (predicted === undefined) return `${expected ?? "nothing"} expected, and not found as such`;
  if (expected === undefined) return `${predicted ?? "nothing"} predicted, and not expected as such`;
  if (predicted === null) return `${expected} expected, nothing predicted: lost`;
  if (expected === null) return `${predicted} predicted, nothing expected: extra`;
  return expected === predicted
    ? `${expected} expected and predicted`
    : `${expected} expected, ${predicted} predicted: wrong class`;
}

const WHAT: Column<SectionRow> = {
  ...{ key: "what", title: "what is wrong", look: "words" },
  cell: ({ error }) => error && <Fault of={error} />,
};

function columnsOf(rows: readonly SectionRow[], isMixed: boolean): Column<SectionRow>[] {
  const hasPages = rows.some(({ error }) => error?.expected_pages || error?.predicted_pages);
  const pages = (side: "expected" | "predicted"): Column<SectionRow> => ({
    ...{ key: side, title: `pages ${side}` },
    cell: ({ error }) => pageRanges(error?.[`${side}_pages`]) || <span className="quiet">–</span>,
  });
  return [
    {
      ...{ key: "document", title: "document", head: true },
      cell: (row) => <DocumentLink document={row.document} trial={row.trial ?? undefined} />,
    },
    { key: "section", title: "section", cell: (row) => <Name text={row.section} /> },
    ...(isMixed ? [WHAT] : []),
    ...(hasPages ? [pages("expected"), pages("predicted")] : []),
  ];
}
