import Alert from "@cloudscape-design/components/alert";
import Button from "@cloudscape-design/components/button";
import Container from "@cloudscape-design/components/container";
import Header from "@cloudscape-design/components/header";
import SpaceBetween from "@cloudscape-design/components/space-between";
import Toggle from "@cloudscape-design/components/toggle";
import { isCompared, readTrial } from "../data/documents";
import { sliceWords } from "../data/groups";
import type { StudioData } from "../data/interface";
import type { DocumentKey, PageDocument, PageValue, ValueQuestion } from "../data/types";
import { counted, rate } from "../format/numbers";
import { plain } from "../format/text";
import { Answered } from "../parts/Answered";
import { Name, Shown } from "../parts/Text";
import { goTo } from "../state/useAddress";
import { useAnswer } from "../state/useAnswer";
import { DocumentTree } from "./DocumentTree";
import { noValues } from "./NoValues";
import { commandOf } from "./question";
import type { TabProps } from "./RunPage";
import { SectionFaults } from "./SectionFaults";
import { TrialName } from "./Trials";
import { ValueTable } from "./ValueTable";

/** One document: all its values as a tree, expected beside predicted. */
export function Document({ data, sums, chosen }: TabProps) {
  const key = { document: chosen.id ?? "", trial: readTrial(chosen.trial) ?? 1 };
  const answer = useAnswer(JSON.stringify(key), () => data.document(key));
  const only = chosen.only === "wrong";
  const open = (to: DocumentKey | null) => {
    const { document: id, trial = 1 } = to ?? {};
    if (id !== undefined) goTo("document", { id, trial: trial > 1 ? String(trial) : undefined, only: chosen.only });
  };
  return (
    <Answered answer={answer}>
      {({ document, values, previous, next }) => (
        <Container
          header={
            <Header
              variant="h2"
              description={described(document)}
              actions={
                <SpaceBetween direction="horizontal" size="xs">
                  <Button ariaLabel="All documents" onClick={() => goTo("documents")}>
                    All<span className="roomy"> documents</span>
                  </Button>
                  <Button iconName="angle-left" disabled={!previous} onClick={() => open(previous)}>
                    Previous
                  </Button>
                  <Button iconName="angle-right" iconAlign="right" disabled={!next} onClick={() => open(next)}>
                    Next
                  </Button>
                </SpaceBetween>
              }
            >
              <Name text={document.document} breaks="/_" />
              <TrialName document={document.document} trial={document.trial ?? 1} />
            </Header>
          }
        >
          <SectionFaults metrics={sums.metrics} document={document.document} />
          {!isCompared(document) ? (
            <NotCompared document={document} />
          ) : values ? (
            <>
              <div className="filters">
                <Toggle
                  checked={only}
                  onChange={({ detail }) => goTo("document", { ...chosen, only: detail.checked ? "wrong" : undefined })}
                >
                  only what is wrong
                </Toggle>
              </div>
              <DocumentTree
                values={only ? values.filter((row) => row.outcome !== "match") : values}
                rules={sums.rules}
                emptyWords={only ? "Nothing wrong in this document." : "Neither side of this document has a value."}
              />
            </>
          ) : (
            <NotOpened data={data} document={document} sums={sums} />
          )}
        </Container>
      )}
    </Answered>
  );
}

function described(row: PageDocument): string {
  const wrong = (row.fd ?? 0) + (row.fa ?? 0) + (row.fn ?? 0);
  const slices = Object.entries(row.slices ?? {}).map(([key, value]) => plain(sliceWords({ key, value })));
  const groups = [row.class ? `class ${plain(row.class)}` : "", ...slices];
  if (!isCompared(row)) return [...groups, "not compared"].filter(Boolean).join(" · ");
  const said = [
    ...groups,
    `score ${rate(row.score)}`,
    counted(row.tp ?? 0, "match", "matches"),
    counted(wrong, "error"),
    Object.values(noteOf(row)).filter(Boolean).join(": "),
  ];
  return said.filter(Boolean).join(" · ");
}

/** What else became of a document than that it was scored, and why; a reason that begins with that says it once. */
export function noteOf({ status = "scored", reason }: PageDocument): { status: string; reason: string } {
  const said = status === "scored" ? "" : status.replaceAll("_", " ");
  const rest = said && reason?.startsWith(`${said}; `) ? reason.slice(said.length + 2) : (reason ?? "");
  return { status: said, reason: rest };
}

/** Why a document counts nowhere. */
function NotCompared({ document }: { document: PageDocument }) {
  const { status, reason } = noteOf(document);
  return (
    <Alert type="warning" header="This document was not compared">
      <Shown text={`${[status, reason].filter(Boolean).join(": ")}. None of its values counts.`} />
    </Alert>
  );
}

/** What the file holds of a document that it does not open. */
function NotOpened({ data, document, sums }: { data: StudioData; document: PageDocument; sums: TabProps["sums"] }) {
  const { document: id, trial = 1 } = document;
  const question: ValueQuestion = { set: "wrong", documents: [id], trial, first: 100 };
  const answer = useAnswer(`errors of ${JSON.stringify([id, trial])}`, () => data.values(question));
  return (
    <SpaceBetween size="m">
      {sums.hasRows && !sums.countsOnly ? (
        <Alert type="info" header="This file opens the worst documents only">
          All values of {sums.repeated.has(id) ? "all its trials" : "this one"}:{" "}
          <code>{commandOf({ ...question, outcomes: [] })}</code>
        </Alert>
      ) : (
        <Alert type="info" header="The values of this document are not known">
          {sums.hasRows ? "Only what its result lists as wrong is below." : noValues(sums)}
        </Alert>
      )}
      <Answered answer={answer}>
        {({ rows }: { rows: PageValue[] }) =>
          rows.length > 0 && <ValueTable label="Errors of the document" rows={rows} rules={sums.rules} ofDocument />
        }
      </Answered>
    </SpaceBetween>
  );
}
