import type { ClassificationError, Metrics } from "../data/types";
import { Name } from "../parts/Text";

/** Sections of a document that have no partner of their class. */
export function SectionFaults({ metrics, document }: { metrics: Metrics; document: string }) {
  const faults = (metrics.sections?.classification_errors ?? []).filter((error) => error.doc_id === document);
  if (!faults.length) return null;
  return (
    <ul className="notes faults">
      {faults.map((fault) => (
        <li key={`${fault.section_id} ${fault.kind}`}>
          section <Name text={fault.section_id} />: <Fault of={fault} />
        </li>
      ))}
    </ul>
  );
}

/** What is wrong with a section, in words. */
export function Fault({ of }: { of: ClassificationError }) {
  const [expected, predicted] = [
    <Class key="e" name={of.expected_class} />,
    <Class key="p" name={of.predicted_class} />,
  ];
  if (of.kind === "lost") return <>{expected} is expected, and nothing was predicted for it</>;
  if (of.kind === "extra") return <>{predicted} is predicted, and nobody expects it</>;
  return (
    <>
      {expected} is expected, {predicted} is predicted
    </>
  );
}

export function Class({ name }: { name: string | null | undefined }) {
  if (name === null || name === undefined) return <span className="quiet">no class</span>;
  return (
    <b>
      <Name text={name} breaks=" ._/" />
    </b>
  );
}

/** Pages, counted from 0 as the input counts them, in ranges: 0–2, 5. */
export function pageRanges(pages: readonly number[] | null | undefined): string {
  const ranges: [number, number][] = [];
  for (const page of pages ?? []) {
    const last = ranges.at(-1);
    if (last && page === last[1] + 1) last[1] = page;
    else ranges.push([page, page]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(", ");
}
