import Container from "@cloudscape-design/components/container";
import ExpandableSection from "@cloudscape-design/components/expandable-section";
import Header from "@cloudscape-design/components/header";
import TextFilter from "@cloudscape-design/components/text-filter";
import Toggle from "@cloudscape-design/components/toggle";
import type { FieldDifference } from "../data/types";
import { count, counted } from "../format/numbers";
import { WORDS } from "../format/words";
import { DataTable, type Sorting } from "../parts/DataTable";
import { PathName } from "../parts/Text";
import { readSorting, writeSorting } from "../state/sorting";
import { useChoices } from "../state/useAddress";
import type { CompareProps } from "./ComparePage";
import { fieldColumns } from "./fieldColumns";

/** Fields, worst first: base and candidate as dumbbells, the difference with its interval, what was fixed and broken. */
export function ChangedFields({ difference, chosen }: CompareProps) {
  const { now, choose, type } = useChoices("fields", chosen);
  const sorting = readSorting(now.sort, SORT_KEYS);
  const find = now.find?.toLowerCase() ?? "";
  const all = Object.values(difference.fields);
  const found = all.filter((row) => row.path.toLowerCase().includes(find));
  const rows = sorted(found.filter(isChanged), sorting);
  const same = found.filter((row) => !isChanged(row));
  const words = (finding: string) => count(all.filter((row) => row.finding === finding).length);
  return (
    <Container
      header={
        <Header
          variant="h2"
          description={`${counted(all.length, "field")}: ${words("worse")} worse, ${words("better")} better; tested ${count(difference.tested_fields)}`}
        >
          Fields, {(WORDS.metrics as Record<string, string>)[difference.metric]}
        </Header>
      }
    >
      <div className="filters">
        <TextFilter
          filteringText={now.find ?? ""}
          filteringPlaceholder="Find fields"
          filteringAriaLabel="Find fields"
          filteringClearAriaLabel="Clear"
          onChange={({ detail }) => type({ find: detail.filteringText })}
        />
        <Toggle checked={now.all === "1"} onChange={({ detail }) => choose({ all: detail.checked ? "1" : undefined })}>
          all columns
        </Toggle>
      </div>
      {rows.length === 0 && (
        <p className="quiet">
          {find ? "No field that changed is called so." : "Every field is the same in every document."}
        </p>
      )}
      {rows.length > 0 && (
        <DataTable
          label="Fields of both runs, worst first"
          rows={rows}
          keyOf={(row) => row.path}
          columns={fieldColumns(difference, now.all === "1")}
          sorting={sorting}
          onSort={(next) => choose({ sort: writeSorting(next) })}
        />
      )}
      {same.length > 0 && (
        <Same rows={same} unit={difference.total.base.unit === "clusters" ? "cluster" : "document"} />
      )}
      <p className="quiet small">○ base, ● candidate. {sentence(WORDS.notes.clearly_worse)}.</p>
    </Container>
  );
}

function isChanged(row: FieldDifference): boolean {
  return row.finding !== "equal";
}

const SORT_KEYS = ["field", "delta", "p", "q", "p_worse", "p_holm"] as const;
type SortKey = (typeof SORT_KEYS)[number];

/** Sorts; what is undefined comes last either way. */
function sorted(rows: FieldDifference[], sorting: Sorting<SortKey> | undefined): FieldDifference[] {
  if (!sorting) return rows;
  const sign = sorting.isDown ? -1 : 1;
  const { key } = sorting;
  if (key === "field") return rows.toSorted((a, b) => sign * a.path.localeCompare(b.path));
  const of = (row: FieldDifference) => row[key] ?? null;
  return rows.toSorted((a, b) => {
    const [one, other] = [of(a), of(b)];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return sign * (one - other);
  });
}

/** The fields that are the same everywhere: their names only. */
function Same({ rows, unit }: { rows: FieldDifference[]; unit: "document" | "cluster" }) {
  return (
    <ExpandableSection headerText={`${counted(rows.length, "field")} the same in every ${unit}`}>
      <ul className="names">
        {rows.map((row) => (
          <li key={row.path}>
            <PathName path={row.path} />
          </li>
        ))}
      </ul>
    </ExpandableSection>
  );
}

function sentence(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
