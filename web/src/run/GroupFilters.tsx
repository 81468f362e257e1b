import type { SelectProps } from "@cloudscape-design/components/select";
import { groupOf, readSlice, type Slice, slicesOf, sliceWords, totalOfGroup, writeSlice } from "../data/groups";
import type { GroupMetrics, Metrics } from "../data/types";
import { counted, rate } from "../format/numbers";
import { plain } from "../format/text";
import { Bounds } from "../parts/Figures";
import { Filter } from "../parts/Filter";
import { Shown } from "../parts/Text";

type Chosen = Readonly<Record<string, string | undefined>>;

export interface Group {
  class?: string | undefined;
  slice?: Slice | undefined;
}

/** The class and the slice that the address names. */
export function chosenGroup(now: Chosen): Group {
  return { class: now.class || undefined, slice: readSlice(now.slice) };
}

interface Props {
  metrics: Metrics;
  now: Chosen;
  choose: (more: Record<string, string | undefined>) => void;
  /** Whether one choice takes the place of the other: sums are kept by class and by slice, not by both. */
  isOneOnly?: boolean;
}

/** Which documents: those of a class, or with one value of a slice key; nothing where a run has neither. */
export function GroupFilters({ metrics, now, choose, isOneOnly }: Props) {
  const classes = Object.entries(metrics.classes ?? {});
  const slices = slicesOf(metrics);
  return (
    <>
      {classes.length > 0 && (
        <Filter
          label="Class"
          value={now.class ?? ""}
          options={[
            { value: "", label: "All classes" },
            ...classes.map(([name, group]) => option(name, plain(name), group)),
          ]}
          onChange={(name) => choose({ class: name, ...(isOneOnly && name ? { slice: undefined } : {}) })}
        />
      )}
      {slices.length > 0 && (
        <Filter
          label="Slice"
          value={now.slice ?? ""}
          options={[
            { value: "", label: "All documents" },
            ...slices.map(({ slice, group }) => option(writeSlice(slice), plain(sliceWords(slice)), group)),
          ]}
          onChange={(slice) => choose({ slice, ...(isOneOnly && slice ? { class: undefined } : {}) })}
        />
      )}
    </>
  );
}

function option(value: string, label: string, { document_count: n }: GroupMetrics): SelectProps.Option {
  return { value, label, ...(n === null || n === undefined ? {} : { labelTag: counted(n, "document") }) };
}

/** What a class or a slice has in all: documents, values, F1; or that nobody counted such documents. */
export function GroupLine({ metrics, group }: { metrics: Metrics; group: Group }) {
  if (group.class === undefined && !group.slice) return null;
  const name = group.class === undefined ? sliceWords(group.slice as Slice) : group.class;
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
