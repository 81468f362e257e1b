import Container from "@cloudscape-design/components/container";
import Header from "@cloudscape-design/components/header";
import SegmentedControl from "@cloudscape-design/components/segmented-control";
import Select from "@cloudscape-design/components/select";
import { useState } from "react";
import { isWithin } from "../data/totals";
import type { Flip } from "../data/types";
import { count } from "../format/numbers";
import { plain } from "../format/text";
import { WORDS } from "../format/words";
import { type Column, DataTable } from "../parts/DataTable";
import { ShowMore } from "../parts/ShowMore";
import { bothSides, Name, Value } from "../parts/Text";
import { useChoices } from "../state/useAddress";
import type { CompareProps } from "./ComparePage";

const STEP = 50;

/** Values that are right in one run only, with what was expected. */
export function Flips({ difference, chosen }: CompareProps) {
  const { now, choose } = useChoices("flips", chosen);
  const [size, setSize] = useState(STEP);
  const { flips } = difference;
  const fields = [...new Set(flips.shown.map((flip) => flip.field))].sort();
  const ordered = flips.shown.toSorted((a, b) => a.direction.localeCompare(b.direction)); // what broke comes first
  const rows = ordered.filter(
    (flip) => (!now.direction || flip.direction === now.direction) && (!now.field || isWithin(flip.field, now.field)),
  );
  const isAll = !now.direction && !now.field;
  return (
    <Container
      header={
        <Header variant="h2" description="Broken: right in the base only. Fixed: right in the candidate only.">
          Values that flipped
        </Header>
      }
    >
      <div className="filters">
        <SegmentedControl
          label="Direction"
          selectedId={now.direction ?? "all"}
          options={[
            { id: "all", text: `All ${count(flips.fixed + flips.broken)}` },
            { id: "broken", text: `▼ Broken ${count(flips.broken)}` },
            { id: "fixed", text: `▲ Fixed ${count(flips.fixed)}` },
          ]}
          onChange={({ detail }) => choose({ direction: detail.selectedId === "all" ? undefined : detail.selectedId })}
        />
        <Select
          ariaLabel="Field"
          selectedOption={
            now.field ? { value: now.field, label: plain(now.field) } : { value: "", label: "All fields" }
          }
          options={[{ value: "", label: "All fields" }, ...fields.map((value) => ({ value, label: plain(value) }))]}
          onChange={({ detail }) => choose({ field: detail.selectedOption.value || undefined })}
        />
      </div>
      {rows.length ? (
        <DataTable
          className="values"
          label="Values that flipped"
          rows={rows.slice(0, size)}
          keyOf={keyOf}
          columns={COLUMNS}
        />
      ) : (
        <p className="quiet">None of them is in this file.</p>
      )}
      <ShowMore
        shown={Math.min(size, rows.length)}
        held={rows.length}
        total={isAll ? flips.fixed + flips.broken : null}
        noun="value"
        more={size < rows.length ? () => setSize(size + STEP) : undefined}
        command="fieldwise diff BASE CANDIDATE --json"
      />
      <p className="quiet small">{WORDS.notes.unpaired_row}</p>
    </Container>
  );
}

function keyOf(flip: Flip): string {
  return `${flip.document} ${flip.path} ${flip.direction} ${flip.base} ${flip.candidate}`;
}

const COLUMNS: Column<Flip>[] = [
  {
    ...{ key: "direction", title: "change" },
    cell: ({ direction }) => (
      <span className={`finding ${WORDS.directions[direction].tone}`}>
        <i aria-hidden="true">{WORDS.directions[direction].symbol}</i> {WORDS.directions[direction].word}
      </span>
    ),
  },
  { key: "document", title: "document", cell: (flip) => <Name text={flip.document} breaks="/_-" /> },
  { key: "path", title: "path", head: true, cell: (flip) => <Name text={flip.path} /> },
  { key: "expected", title: "expected", look: "side", cell: (flip) => <Value text={flip.expected} /> },
  { key: "base", title: "base", look: "side", cell: (flip) => <Predicted flip={flip} run="base" /> },
  { key: "candidate", title: "candidate", look: "side", cell: (flip) => <Predicted flip={flip} run="candidate" /> },
];

function Predicted({ flip, run }: { flip: Flip; run: "base" | "candidate" }) {
  const reason = flip[`${run}_reason`];
  return (
    <>
      <Value text={flip[run]} parts={bothSides(flip.expected, flip[run]).predicted} />
      {reason && <small className="quiet"> {WORDS.reasons[reason]}</small>}
    </>
  );
}
