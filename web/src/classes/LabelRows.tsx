import Container from "@cloudscape-design/components/container";
import Header from "@cloudscape-design/components/header";
import TextFilter from "@cloudscape-design/components/text-filter";
import { rowTotal } from "../data/labels";
import { readPlace } from "../data/matrix";
import type { Confusion, LabelQuestion, LabelRow } from "../data/types";
import { csvTable } from "../format/csv";
import { count } from "../format/numbers";
import { plain } from "../format/text";
import { Answered } from "../parts/Answered";
import { Choice } from "../parts/Choice";
import { Export } from "../parts/Export";
import { Filter, tagged } from "../parts/Filter";
import { ShowMore } from "../parts/ShowMore";
import { oneOf } from "../state/address";
import { useChoices } from "../state/useAddress";
import { usePages } from "../state/useAnswer";
import type { ClassesProps } from "./ClassesPage";
import { LabelTable } from "./LabelTable";
import { commandOf } from "./listing";

const FIRST = 50;

/** Rows of labels: those of a cell of the matrix, of a class, or what is wrong. */
export function LabelRows({ data, page, scores, chosen }: ClassesProps) {
  const { now, choose, type } = useChoices("rows", chosen);
  const matrix = scores.confusion_matrix;
  const only = oneOf(now.only, ["wrong", "right"]);
  const question = {
    expected: readPlace(now.expected, matrix),
    predicted: readPlace(now.predicted, matrix),
    right: only && only === "right",
    find: now.find || undefined,
    first: FIRST,
  };
  const csvOfAll = async (held: number) => {
    const { rows } = await data.labelRows({ ...question, first: Math.max(held, 1) });
    return csvOf(rows, matrix);
  };
  const answer = usePages(`labels ${JSON.stringify(question)}`, (after) => data.labelRows({ ...question, after }));
  return (
    <Answered answer={answer}>
      {(list) => (
        <Container
          header={
            <Header
              variant="h2"
              description="One row for each decision, by the line of the file"
              actions={<Export name="rows.csv" text={() => csvOfAll(list.held)} />}
            >
              Rows
            </Header>
          }
        >
          <div className="filters">
            <Side side="expected" {...{ page, matrix, question, choose }} />
            <Side side="predicted" {...{ page, matrix, question, choose }} />
            <Choice
              label="Which rows"
              value={only ?? "all"}
              options={[
                { id: "all", text: "All" },
                { id: "wrong", text: "Wrong" },
                { id: "right", text: "Right" },
              ]}
              onChange={(only) => choose({ only: only === "all" ? undefined : only })}
            />
            <TextFilter
              filteringText={now.find ?? ""}
              filteringPlaceholder="Find any text"
              filteringAriaLabel="Find rows by any text"
              filteringClearAriaLabel="Clear"
              onChange={({ detail }) => type({ find: detail.filteringText })}
            />
          </div>
          {list.rows.length ? (
            <LabelTable rows={list.rows} matrix={matrix} />
          ) : (
            <p className="quiet">
              {list.total ? "None of them is in this file." : "No row is chosen by these filters."}
            </p>
          )}
          <ShowMore
            shown={list.rows.length}
            held={list.held}
            total={list.total}
            noun="row"
            more={list.more}
            command={commandOf(page, scores, question)}
          />
        </Container>
      )}
    </Answered>
  );
}

interface SideProps {
  side: "expected" | "predicted";
  page: ClassesProps["page"];
  matrix: Confusion;
  question: LabelQuestion;
  choose: (more: Record<string, string | undefined>) => void;
}

/** The labels of one side; each says how many rows it would list, where the matrix tells. */
function Side({ side, page, matrix, question, choose }: SideProps) {
  const tagOf = (place: number) => {
    const total = rowTotal(page.classification, { ...question, [side]: place });
    return tagged(total === null ? undefined : count(total));
  };
  return (
    <Filter
      label={side === "expected" ? "Expected" : "Predicted"}
      value={question[side]?.toString() ?? ""}
      options={[
        { value: "", label: "Any label" },
        ...matrix.labels.map((name, k) => ({ value: String(k), label: plain(name) || "empty text", ...tagOf(k) })),
      ]}
      onChange={(place) => choose({ [side]: place })}
    />
  );
}

function csvOf(rows: readonly LabelRow[], { labels }: Confusion): string {
  const columns = ["line", "expected", "predicted", "right", "golden", "answer", "metadata"];
  const cells = rows.map((row) => [
    ...[row.line, labels[row.expected], labels[row.predicted], row.is_right, row.golden, row.answer, row.metadata],
  ]);
  return csvTable(columns, cells);
}
