import Container from "@cloudscape-design/components/container";
import Header from "@cloudscape-design/components/header";
import TextFilter from "@cloudscape-design/components/text-filter";
import { useState } from "react";
import { DIRECTIONS, type Direction, type FlipQuestion, flipTotal } from "../data/flips";
import { isWithin } from "../data/totals";
import type { Flip, Flips as RunFlips } from "../data/types";
import { count } from "../format/numbers";
import { plainPath } from "../format/text";
import { WORDS } from "../format/words";
import { Choice } from "../parts/Choice";
import { DataTable } from "../parts/DataTable";
import { Export } from "../parts/Export";
import { Filter, tagged } from "../parts/Filter";
import { ShowMore } from "../parts/ShowMore";
import { oneOf } from "../state/address";
import { useChoices } from "../state/useAddress";
import type { CompareProps } from "./ComparePage";
import { csvOfFlips, FLIP_COLUMNS } from "./flipColumns";

const STEP = 50;

/** Values that are right in one run only, with what was expected. */
export function Flips({ difference, chosen }: CompareProps) {
  const { now, choose, type } = useChoices("flips", chosen);
  const [size, setSize] = useState(STEP);
  const { flips } = difference;
  const direction = oneOf(now.direction, DIRECTIONS);
  const question = { ...now, direction };
  const option = (id: Direction | undefined, text: string) => ({
    ...{ id: id ?? "all", text: [text, tagOf(flips, { ...question, direction: id })].filter(Boolean).join(" ") },
  });
  const ordered = flips.shown.toSorted((a, b) => a.direction.localeCompare(b.direction)); // what broke comes first
  const rows = ordered.filter(
    (flip) =>
      (!direction || flip.direction === direction) &&
      (!now.field || isWithin(flip.field, now.field)) &&
      (!now.find || said(flip).includes(now.find.toLowerCase())),
  );
  return (
    <Container
      header={
        <Header
          variant="h2"
          description="Broken: right in the base only. Fixed: right in the candidate only."
          actions={rows.length > 0 && <Export name="flips.csv" text={async () => csvOfFlips(rows)} />}
        >
          Values that flipped
        </Header>
      }
    >
      <div className="filters">
        <TextFilter
          filteringText={now.find ?? ""}
          filteringPlaceholder="Find any text"
          filteringAriaLabel="Find flips"
          filteringClearAriaLabel="Clear"
          onChange={({ detail }) => type({ find: detail.filteringText })}
        />
        <Choice
          label="Direction"
          value={direction ?? "all"}
          options={[option(undefined, "All"), option("broken", "▼ Broken"), option("fixed", "▲ Fixed")]}
          onChange={(direction) => choose({ direction: direction === "all" ? undefined : direction })}
        />
        <Filter
          label="Field"
          value={now.field ?? ""}
          options={[{ value: "", label: "All fields" }, ...fieldOptions(flips, question)]}
          onChange={(field) => choose({ field: field || undefined })}
        />
      </div>
      {rows.length ? (
        <DataTable
          className="values"
          label="Values that flipped"
          rows={rows.slice(0, size)}
          keyOf={keyOf}
          columns={FLIP_COLUMNS}
        />
      ) : (
        <p className="quiet">{emptyWords(flips, question)}</p>
      )}
      <ShowMore
        shown={Math.min(size, rows.length)}
        held={rows.length}
        total={flipTotal(flips, question)}
        noun="value"
        more={size < rows.length ? () => setSize(size + STEP) : undefined}
        command="fieldwise diff BASE CANDIDATE --json"
      />
      {rows.some(isInUnpairedRow) && <p className="quiet small">{WORDS.notes.unpaired_row}</p>}
    </Container>
  );
}

function tagOf(flips: RunFlips, question: FlipQuestion): string | undefined {
  const total = flipTotal(flips, question);
  return total === null ? undefined : count(total);
}

/** The fields with such flips, with how many, where sums tell. */
function fieldOptions(flips: RunFlips, question: FlipQuestion) {
  const names = new Set([...Object.keys(flips.fields ?? {}), ...flips.shown.map((flip) => flip.field)]);
  return [...names]
    .sort()
    .map((value) => ({ value, label: plainPath(value), ...tagged(tagOf(flips, { ...question, field: value })) }))
    .filter(({ labelTag }) => labelTag !== "0");
}

function emptyWords(flips: RunFlips, question: FlipQuestion): string {
  if (flipTotal(flips, question)) return "None of them is in this file.";
  return flips.fixed + flips.broken
    ? "There is no such value."
    : "No value is right in one run and wrong in the other.";
}

function isInUnpairedRow({ base_reason, candidate_reason }: Flip): boolean {
  return [base_reason, candidate_reason].some((reason) => reason === "row" || reason === "alone");
}

function said({ document, path, expected, base, candidate }: Flip): string {
  return [document, path, expected, base, candidate].join("\n").toLowerCase();
}

function keyOf(flip: Flip): string {
  return `${flip.document} ${flip.path} ${flip.direction} ${flip.base} ${flip.candidate}`;
}
