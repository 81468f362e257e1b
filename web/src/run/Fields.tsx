import Container from "@cloudscape-design/components/container";
import ExpandableSection from "@cloudscape-design/components/expandable-section";
import Header from "@cloudscape-design/components/header";
import TextFilter from "@cloudscape-design/components/text-filter";
import Toggle from "@cloudscape-design/components/toggle";
import { useMemo } from "react";
import { groupOf, isLeaf } from "../data/groups";
import { counted } from "../format/numbers";
import { ofUnits, WORDS } from "../format/words";
import { Choice } from "../parts/Choice";
import type { Sorting } from "../parts/DataTable";
import { PathName } from "../parts/Text";
import {
  asTree,
  type FieldRow,
  fieldRows,
  findFields,
  isSeen,
  SORT_KEYS,
  type SortKey,
  sortFields,
} from "../state/fields";
import { readSorting, writeSorting } from "../state/sorting";
import { useChoices } from "../state/useAddress";
import { FieldTable } from "./FieldTable";
import { chosenGroup, GroupFilters, GroupLine } from "./GroupFilters";
import { NoValues } from "./NoValues";
import type { TabProps } from "./RunPage";

const LOST: Sorting<SortKey> = { key: "lost", isDown: true };

export function Fields({ sums, chosen }: TabProps) {
  const { now, choose, type } = useChoices("fields", chosen);
  const sorting = readSorting(now.sort, SORT_KEYS) ?? LOST;
  const group = chosenGroup(now);
  const key = JSON.stringify(group);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the group
  const rows = useMemo(
    () => fieldRows(groupOf(sums.metrics, group) ?? { fields: {} }, sums.rules, group.classes?.[0]),
    [sums, key],
  );
  const unseen = rows.filter((row) => !isSeen(row) && row.metrics.scope !== "undeclared" && isLeaf(row.metrics));
  const order = (some: readonly FieldRow[]) => sortFields(some, sorting.key, sorting.isDown);
  const found = order(findFields(rows.filter(isSeen), now.find ?? ""));
  const folded = new Set((now.folded ?? "").split("\n").filter(Boolean));
  const isTree = now.as === "tree";
  const fold = (path: string) => {
    const rest = new Set(folded);
    if (!rest.delete(path)) rest.add(path);
    choose({ folded: [...rest].join("\n") });
  };
  return (
    <Container
      header={
        <Header variant="h2" description="Worst first by lost points; a number of errors opens to its values">
          Field-level metrics
        </Header>
      }
    >
      <div className="filters">
        <GroupFilters metrics={sums.metrics} now={now} choose={choose} isOneOnly />
        <TextFilter
          filteringText={now.find ?? ""}
          filteringPlaceholder="Find fields"
          filteringAriaLabel="Find fields"
          filteringClearAriaLabel="Clear"
          countText={now.find ? counted(found.length, "field") : ""}
          onChange={({ detail }) => type({ find: detail.filteringText })}
        />
        <Choice
          label="Order"
          value={sorting.key === "lost" || sorting.key === "strict_f1" ? sorting.key : null}
          options={[
            { id: "lost", text: "Lost points" },
            { id: "strict_f1", text: "F1 ascending" },
          ]}
          onChange={(key) => choose({ sort: key === "lost" ? undefined : "strict_f1" })}
        />
        <Choice
          label="Shown as"
          value={isTree ? "tree" : "flat"}
          options={[
            { id: "flat", text: "List" },
            { id: "tree", text: "Tree" },
          ]}
          onChange={(as) => choose({ as: as === "tree" ? as : undefined })}
        />
        <Toggle checked={now.all === "1"} onChange={({ detail }) => choose({ all: detail.checked ? "1" : undefined })}>
          all columns
        </Toggle>
      </div>
      <GroupLine metrics={sums.metrics} group={group} />
      {found.length ? (
        <FieldTable
          label="Fields, worst first"
          rows={isTree ? asTree(found, folded, order) : found}
          canOpen={sums.hasRows}
          among={{ class: now.class, slice: now.slice }}
          columns={now.all === "1" ? "all" : "main"}
          sorting={sorting}
          onSort={(next) => choose({ sort: next.key === LOST.key && next.isDown ? undefined : writeSorting(next) })}
          folded={folded}
          onFold={isTree ? fold : undefined}
        />
      ) : (
        <p className="quiet">No field {now.find ? "is called so" : "has a value on either side"}.</p>
      )}
      <NoValues sums={sums} />
      <p className="quiet small">
        ○ below {WORDS.grades.fair_from} · ◐ up to {WORDS.grades.good_above} · ● above;{" "}
        {ofUnits(WORDS.notes.interval, sums.metrics.aggregate.rates.strict_f1.unit)}. Recall and F1 are the strict ones:
        a wrong value counts as missed, too.
      </p>
      {unseen.length > 0 && (
        <ExpandableSection
          headerText={`Not in this set: ${counted(unseen.length, "field")} without a value on either side`}
        >
          <ul className="names">
            {unseen.map((row) => (
              <li key={row.path}>
                <PathName path={row.path} />
              </li>
            ))}
          </ul>
        </ExpandableSection>
      )}
    </Container>
  );
}
