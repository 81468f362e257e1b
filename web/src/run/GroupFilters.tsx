import { type Group, groupOf, readSlice, slicesOf, sliceWords, totalOfGroup, writeSlice } from "../data/groups";
import type { Metrics } from "../data/types";
import { counted, rate } from "../format/numbers";
import { plain } from "../format/text";
import { Bounds } from "../parts/Figures";
import { Filter, tagged } from "../parts/Filter";
import { Shown } from "../parts/Text";

type Chosen = Readonly<Record<string, string | undefined>>;

/** The class and the slice that the address names. */
export function chosenGroup(now: Chosen): Group {
  const slice = readSlice(now.slice);
  return { classes: now.class ? [now.class] : undefined, slices: slice && [slice] };
}

interface Props {
  metrics: Metrics;
  now: Chosen;
  choose: (more: Record<string, string | undefined>) => void;
  /** Whether one choice takes the place of the other: sums are kept by class and by slice, not by both. */
  isOneOnly?: boolean;
  /** How much is listed with another class or slice; documents of these if nothing is said. */
  tagOf?: (more: Chosen) => string | undefined;
}

/** Which documents: those of a class, or with one value of a slice key; nothing where a run has neither. */
export function GroupFilters({ metrics, now, choose, isOneOnly, tagOf }: Props) {
  const withClass = (name: string) => ({ class: name, ...(isOneOnly && name ? { slice: undefined } : {}) });
  const withSlice = (slice: string) => ({ slice, ...(isOneOnly && slice ? { class: undefined } : {}) });
  const tag = tagOf ?? ((more: Chosen) => documentsOf(metrics, chosenGroup({ ...now, ...more })));
  const option = (value: string, label: string, more: Chosen) => ({ value, label, ...tagged(tag(more)) });
  const classes = Object.keys(metrics.classes ?? {});
  const slices = slicesOf(metrics).map(({ slice }) => slice);
  const chosen = readSlice(now.slice);
  return (
    <>
      {classes.length > 0 && (
        <Filter
          label="Class"
          value={now.class ?? ""}
          options={[
            { value: "", label: "All classes" },
            ...classes.map((name) => option(name, plain(name), withClass(name))),
          ]}
          onChange={(name) => choose(withClass(name))}
        />
      )}
      {slices.length > 0 && (
        <Filter
          label="Slice"
          value={chosen ? writeSlice(chosen) : ""}
          options={[
            { value: "", label: "All documents" },
            ...slices.map((slice) => option(writeSlice(slice), plain(sliceWords(slice)), withSlice(writeSlice(slice)))),
          ]}
          onChange={(slice) => choose(withSlice(slice))}
        />
      )}
    </>
  );
}

/** How many documents a class or a slice has; undefined where sums don't tell: of a class within a slice. */
function documentsOf(metrics: Metrics, group: Group): string | undefined {
  const n = groupOf(metrics, group)?.document_count;
  return typeof n === "number" ? counted(n, "document") : undefined;
}

/** What a class or a slice has in all: documents, values, F1; or that nobody counted such documents. */
export function GroupLine({ metrics, group }: { metrics: Metrics; group: Group }) {
  const name = group.classes?.[0] ?? group.slices?.map(sliceWords)[0];
  if (name === undefined) return null;
  const found = groupOf(metrics, group);
  if (!found) return <p className="quiet">No documents of this run are counted under this name.</p>;
  const total = totalOfGroup(found);
  const f1 = total.rates?.strict_f1;
  return (
    <p className="group-line">
      <b>
        <Shown text={name} breaks="._/" />
      </b>
      {typeof found.document_count === "number" && <span>{counted(found.document_count, "document")}</span>}
      <span>{counted(total.tp + total.fp + total.fn, "value")}</span>
      <span>{counted(total.fp + total.fn, "error")}</span>
      {f1 && (
        <span>
          F1 (strict) <b>{rate(f1.value)}</b> <Bounds of={f1} />
        </span>
      )}
    </p>
  );
}
