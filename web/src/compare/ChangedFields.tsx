import Container from "@cloudscape-design/components/container";
import Header from "@cloudscape-design/components/header";
import TextFilter from "@cloudscape-design/components/text-filter";
import type { FieldDifference } from "../data/types";
import { chance, count, counted } from "../format/numbers";
import { findingOf, ofUnits, WORDS } from "../format/words";
import { type Column, DataTable } from "../parts/DataTable";
import { DeltaPlot, Dumbbell, reach } from "../parts/DeltaPlot";
import { RateCell } from "../parts/Figures";
import { Name } from "../parts/Text";
import { readSorting, writeSorting } from "../run/Fields";
import { writeAddress } from "../state/address";
import { useChoices } from "../state/useAddress";
import type { CompareProps } from "./ComparePage";
import { Points } from "./Verdict";

/** Fields, worst first: base and candidate as dumbbells, the difference with its interval, what was fixed and broken. */
export function ChangedFields({ difference, chosen }: CompareProps) {
  const { now, choose, type } = useChoices("fields", chosen);
  const sorting = now.sort ? readSorting(now.sort) : undefined;
  const find = now.find?.toLowerCase() ?? "";
  const all = Object.values(difference.fields);
  const rows = sorted(
    all.filter((row) => row.path.toLowerCase().includes(find)),
    sorting,
  );
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
      </div>
      <DataTable
        label="Fields of both runs, worst first"
        rows={rows}
        keyOf={(row) => row.path}
        columns={columns(reach(all))}
        sorting={sorting}
        onSort={(next) => choose({ sort: writeSorting(next) })}
      />
      <p className="quiet small">{WORDS.notes.clearly_worse}.</p>
    </Container>
  );
}

function sorted(rows: FieldDifference[], sorting: ReturnType<typeof readSorting> | undefined): FieldDifference[] {
  if (!sorting) return rows;
  const of = (row: FieldDifference) => (sorting.key === "delta" ? row.delta : sorting.key === "q" ? row.q : null) ?? 9;
  const order = (a: FieldDifference, b: FieldDifference) =>
    sorting.key === "field" ? a.path.localeCompare(b.path) : of(a) - of(b);
  return rows.toSorted((a, b) => (sorting.isDown ? order(b, a) : order(a, b)));
}

function columns(scale: number): Column<FieldDifference>[] {
  return [
    { key: "field", title: "field", head: true, sorts: "up", cell: (row) => <FieldLink row={row} /> },
    { key: "finding", title: "finding", cell: (row) => <Finding row={row} /> },
    { key: "base", title: "base", numeric: true, cell: (row) => <RateCell of={row.base} /> },
    {
      ...{ key: "dumbbell", title: "base ○ → ● candidate" },
      cell: (row) => <Dumbbell base={row.base} candidate={row.candidate} tone={findingOf(row.finding).tone} />,
    },
    { key: "candidate", title: "candidate", numeric: true, cell: (row) => <RateCell of={row.candidate} /> },
    { key: "delta", title: "points", numeric: true, sorts: "up", cell: (row) => <Points of={row} /> },
    { key: "plot", title: "95% of the difference", cell: (row) => <DeltaPlot of={row} scale={scale} /> },
    {
      key: "q",
      title: "q",
      hint: "p, adjusted for the number of tested fields",
      numeric: true,
      sorts: "up",
      cell: (row) => chance(row.q),
    },
    {
      key: "fixed",
      title: "gained",
      hint: "values right in the candidate only",
      numeric: true,
      cell: (row) => count(row.right_values.gained),
    },
    {
      key: "broken",
      title: "lost",
      hint: "values right in the base only",
      numeric: true,
      cell: (row) => count(row.right_values.lost),
    },
    { key: "up", title: "documents ▲", numeric: true, cell: (row) => count(row.improved) },
    { key: "down", title: "▼", numeric: true, cell: (row) => count(row.regressed) },
    { key: "n", title: "n", hint: "documents with it", numeric: true, cell: (row) => count(row.n) },
  ];
}

function FieldLink({ row }: { row: FieldDifference }) {
  const name = <Name text={row.path} />;
  return row.right_values.gained + row.right_values.lost ? (
    <a href={writeAddress("flips", { field: row.path })}>{name}</a>
  ) : (
    name
  );
}

function Finding({ row }: { row: FieldDifference }) {
  const { symbol, word, tone } = findingOf(row.finding);
  return (
    <span className={`finding ${tone}`}>
      <i aria-hidden="true">{symbol}</i> {row.clearly_worse ? "clearly worse" : ofUnits(word, row.base.unit)}
    </span>
  );
}
