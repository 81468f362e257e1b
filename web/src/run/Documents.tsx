import Container from "@cloudscape-design/components/container";
import Header from "@cloudscape-design/components/header";
import TextFilter from "@cloudscape-design/components/text-filter";
import { hasTrials, uncomparedCount } from "../data/documents";
import { documentTotal } from "../data/totals";
import type { DocumentQuestion, Metrics } from "../data/types";
import { count, counted } from "../format/numbers";
import { Answered } from "../parts/Answered";
import { Choice } from "../parts/Choice";
import { DataTable } from "../parts/DataTable";
import { ShowMore } from "../parts/ShowMore";
import { oneOf } from "../state/address";
import { useChoices } from "../state/useAddress";
import { usePages } from "../state/useAnswer";
import { Document } from "./Document";
import { columnsOf } from "./documentColumns";
import { chosenGroup, GroupFilters } from "./GroupFilters";
import type { TabProps } from "./RunPage";

const FIRST = 25;
const ORDERS = ["worst", "best", "id"] as const;

export function Documents(props: TabProps) {
  return props.chosen.id === undefined ? <List {...props} /> : <Document {...props} />;
}

function List({ data, sums, chosen }: TabProps) {
  const { now, choose, type } = useChoices("documents", chosen);
  const order = oneOf(now.order, ORDERS) ?? "worst";
  const question: DocumentQuestion = { find: now.find, order, ...chosenGroup(now), first: FIRST };
  const isFiltered = !!(now.find || now.class || now.slice);
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
        <GroupFilters
          metrics={sums.metrics}
          now={now}
          choose={choose}
          tagOf={(more) => tagOf(sums, { ...now, ...more })}
        />
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
              <p className="quiet">{emptyWords(sums, isFiltered)}</p>
            )}
            <ShowMore
              shown={list.rows.length}
              held={list.held}
              total={list.total}
              noun={hasTrials(sums.metrics) ? "trial" : "document"}
              remark={isFiltered ? "" : remarkOf(sums.metrics)}
              more={list.more}
            />
            {sums.countsOnly && <p className="quiet small">Documents without an error are not listed.</p>}
          </>
        )}
      </Answered>
    </Container>
  );
}

/** What else there is to know of all that is listed: it may be more than the documents that were compared. */
export function remarkOf(metrics: Metrics): string {
  const uncompared = uncomparedCount(metrics);
  const documents = counted(metrics.document_count, "document");
  if (!hasTrials(metrics)) return uncompared ? `, ${count(uncompared)} of them not compared` : "";
  if (!uncompared) return ` of ${documents}`;
  return `: ${count(metrics.trial_count ?? 0)} of ${documents}, ${count(uncompared)} not compared`;
}

/** How many are listed with such a choice; undefined where sums don't tell. */
function tagOf({ metrics }: TabProps["sums"], now: Readonly<Record<string, string | undefined>>): string | undefined {
  const total = documentTotal({ ...chosenGroup(now), find: now.find }, { metrics });
  return total === null ? undefined : counted(total, "document");
}

function emptyWords({ metrics, countsOnly }: TabProps["sums"], isFiltered: boolean): string {
  if (isFiltered) return "No document in this file is chosen by these filters.";
  if (!metrics.document_count) return "No documents were compared.";
  return countsOnly ? "No result that was read has an error." : "No documents are in this file.";
}
