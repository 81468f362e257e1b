import Container from "@cloudscape-design/components/container";
import Header from "@cloudscape-design/components/header";
import type { ValueQuestion } from "../data/types";
import { csvOf } from "../format/csv";
import { Answered } from "../parts/Answered";
import { Export } from "../parts/Export";
import { ShowMore } from "../parts/ShowMore";
import { useChoices } from "../state/useAddress";
import { usePages } from "../state/useAnswer";
import { ErrorFilters } from "./ErrorFilters";
import { noValues } from "./NoValues";
import { commandOf, questionOf } from "./question";
import type { TabProps } from "./RunPage";
import { ValueTable } from "./ValueTable";
import { because } from "./Why";

export function Errors({ data, sums, chosen }: TabProps) {
  const { now, choose, type } = useChoices("errors", chosen);
  const question = questionOf(now);
  const answer = usePages(`values ${JSON.stringify(question)}`, (after) => data.values({ ...question, after }));
  const isAccepted = question.set === "accepted";
  return (
    <Answered answer={answer}>
      {(list) => (
        <Container
          header={
            <Header
              variant="h2"
              description={described(isAccepted, sums.countsOnly)}
              actions={<Export name="values.csv" text={() => csvOfAll(data, question, list.held, sums)} />}
            >
              {isAccepted ? "Accepted, not identical" : "Errors"}
            </Header>
          }
        >
          <ErrorFilters now={now} choose={choose} type={type} sums={sums} />
          {list.rows.length ? (
            <ValueTable rows={list.rows} rules={sums.rules} label={isAccepted ? "Accepted values" : "Errors"} />
          ) : (
            <p className="quiet">{emptyWords(sums, list.total)}</p>
          )}
          <ShowMore
            shown={list.rows.length}
            held={list.held}
            total={list.total}
            noun="value"
            more={list.more}
            command={sums.countsOnly ? undefined : commandOf(question)}
            commandLists={typeof question.trial !== "number" ? undefined : "those of all trials"}
          />
        </Container>
      )}
    </Answered>
  );
}

function described(isAccepted: boolean, countsOnly: boolean): string {
  if (isAccepted) return "Matches of values that are not identical: here a comparator that is too lenient shows";
  if (countsOnly) return "Values that the results themselves list as wrong; counts may be of more";
  return "Values that are wrong, missed or invented, beside what was expected";
}

function emptyWords(sums: TabProps["sums"], total: number | null): string {
  if (!sums.hasRows) return noValues(sums);
  if (total) return "None of them is in this file.";
  const { fd, fa, fn } = sums.metrics.aggregate;
  return fd + fa + fn ? "Nothing here: no value is chosen by these filters." : "No value is wrong, missed or invented.";
}

/** Every value that the filters choose, also those below what is shown. */
async function csvOfAll(
  data: TabProps["data"],
  question: ValueQuestion,
  held: number,
  { rules }: TabProps["sums"],
): Promise<string> {
  const { rows } = await data.values({ ...question, first: Math.max(held, 1) });
  return csvOf(rows.map((row) => ({ ...row, reason: because(row, rules) })));
}
