import type { Flip } from "../data/types";
import { csvTable } from "../format/csv";
import { wholePercent } from "../format/numbers";
import { outcomeOf, WORDS } from "../format/words";
import type { Column } from "../parts/DataTable";
import { bothSides, type Marks, Name, PathName, Value } from "../parts/Text";

/** A value that flipped: where it is, what was expected, and what each run has. */
export const FLIP_COLUMNS: Column<Flip>[] = [
  {
    ...{ key: "direction", title: "change" },
    cell: ({ direction }) => (
      <span className={`finding ${WORDS.directions[direction].tone}`}>
        <i aria-hidden="true">{WORDS.directions[direction].symbol}</i> {WORDS.directions[direction].word}
      </span>
    ),
  },
  { key: "document", title: "document", cell: (flip) => <Name text={flip.document} breaks="/_-" /> },
  { key: "path", title: "path", head: true, cell: (flip) => <PathName path={flip.path} /> },
  { key: "expected", title: "expected", look: "side", cell: (flip) => <Expected flip={flip} /> },
  { key: "base", title: "base", look: "side", cell: (flip) => <Predicted flip={flip} run="base" /> },
  { key: "candidate", title: "candidate", look: "side", cell: (flip) => <Predicted flip={flip} run="candidate" /> },
];

/** What was expected, with what differs in the run that is wrong. */
function Expected({ flip }: { flip: Flip }) {
  return <Value text={flip.expected} marks={expectedMarks(flip)} />;
}

function expectedMarks({ direction, expected, base, candidate }: Flip): Marks | undefined {
  return bothSides(expected, direction === "broken" ? candidate : base).expected;
}

/** What differs from the expected value; one that is the same is folded to the same place. */
function predictedMarks(flip: Flip, run: "base" | "candidate"): Marks | undefined {
  const text = flip[run];
  if (text === null || text !== flip.expected) return bothSides(flip.expected, text).predicted;
  return { parts: [{ text, differs: false }], start: expectedMarks(flip)?.start ?? 0 };
}

function Predicted({ flip, run }: { flip: Flip; run: "base" | "candidate" }) {
  const because = becauseOf(flip, run);
  return (
    <>
      <Value text={flip[run]} marks={predictedMarks(flip, run)} />
      {because && <small className="quiet"> ({because})</small>}
    </>
  );
}

/** Why a value counts as it does, where the values alone don't say it, and how often it is right in several trials. */
function becauseOf(flip: Flip, run: "base" | "candidate"): string {
  const [reason, share, outcome] = [flip[`${run}_reason`], flip[`${run}_share`], flip[`${run}_outcome`]];
  const right = typeof share === "number" ? `right in ${wholePercent(Number(share.toFixed(2)))} of trials` : "";
  const missing = flip[run] === null && outcome ? outcomeOf(outcome).word : "";
  return [missing, reason ? WORDS.reasons[reason] : "", right].filter(Boolean).join(", ");
}

/** Flips as CSV, with what the page says of each run's value. */
export function csvOfFlips(flips: readonly Flip[]): string {
  return csvTable(
    ["change", "document", "field", "path", "expected", "base", "base_note", "candidate", "candidate_note"],
    flips.map((flip) => [
      ...[flip.direction, flip.document, flip.field, flip.path, flip.expected],
      ...(["base", "candidate"] as const).flatMap((run) => [flip[run], becauseOf(flip, run)]),
    ]),
  );
}
