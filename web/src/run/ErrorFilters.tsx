import FormField from "@cloudscape-design/components/form-field";
import Select, { type SelectProps } from "@cloudscape-design/components/select";
import TextFilter from "@cloudscape-design/components/text-filter";
import { isLeaf } from "../data/totals";
import type { Metrics } from "../data/types";
import { count } from "../format/numbers";
import { plain } from "../format/text";
import { acceptedWord, kindOf, outcomeOf, WORDS } from "../format/words";

interface Props {
  now: Record<string, string | undefined>;
  choose: (more: Record<string, string | undefined>) => void;
  type: (more: Record<string, string | undefined>) => void;
  metrics: Metrics;
}

/** What is listed: an outcome, a field, a kind of error, a document. */
export function ErrorFilters({ now, choose, type, metrics }: Props) {
  const isAccepted = now.set === "accepted";
  return (
    <div className="filters">
      <Filter
        label="Outcome"
        value={isAccepted ? "accepted" : (now.outcome ?? "")}
        options={outcomes(metrics)}
        onChange={(outcome) =>
          outcome === "accepted"
            ? choose({ set: "accepted", outcome: undefined, kind: undefined })
            : choose({ set: undefined, outcome, kind: isAccepted ? undefined : now.kind })
        }
      />
      <Filter
        label="Field"
        value={now.field ?? ""}
        options={fields(metrics, now.field, isAccepted)}
        onChange={(field) => choose({ field })}
      />
      <Filter
        label={isAccepted ? "Accepted as" : "Kind of error"}
        value={now.kind ?? ""}
        options={isAccepted ? accepted(metrics) : kinds(metrics, now.field)}
        onChange={(kind) => choose({ kind })}
      />
      <TextFilter
        filteringText={now.find ?? ""}
        filteringPlaceholder="Find any text"
        filteringAriaLabel="Find values by any text"
        filteringClearAriaLabel="Clear"
        onChange={({ detail }) => type({ find: detail.filteringText })}
      />
      {now.document !== undefined && (
        <Filter
          label="Document"
          value={now.document}
          options={[
            { value: "", label: "All documents" },
            { value: now.document, label: plain(now.document) },
          ]}
          onChange={(document) => choose({ document: document || undefined })}
        />
      )}
    </div>
  );
}

interface FilterProps {
  label: string;
  value: string;
  options: SelectProps.Option[];
  onChange: (value: string) => void;
}

function Filter({ label, value, options, onChange }: FilterProps) {
  const chosen = options.find((option) => option.value === value) ?? { value, label: plain(value) };
  return (
    <FormField label={label}>
      <Select
        selectedOption={chosen}
        options={options}
        filteringType={options.length > 12 ? "auto" : "none"}
        filteringAriaLabel={`Find: ${label}`}
        filteringClearAriaLabel="Clear"
        onChange={({ detail }) => onChange(detail.selectedOption.value ?? "")}
      />
    </FormField>
  );
}

function outcomes({ aggregate }: Metrics): SelectProps.Option[] {
  const { fd, fa, fn } = aggregate;
  const near = (aggregate.written_differently ?? 0) + (aggregate.similar ?? 0);
  const named = (names: string[], n: number) => ({
    value: names.join(","),
    label: names.map((name) => `${outcomeOf(name).symbol} ${outcomeOf(name).word}`).join(" or "),
    labelTag: count(n),
  });
  return [
    { value: "", label: "All errors", labelTag: count(fd + fa + fn) },
    named(["mismatch"], fd),
    named(["missed"], fn),
    named(["spurious"], fa),
    named(["mismatch", "spurious"], fd + fa),
    { value: "accepted", label: "≈ accepted, not identical", labelTag: count(near) },
  ];
}

function fields(metrics: Metrics, chosen: string | undefined, isAccepted: boolean): SelectProps.Option[] {
  const size = (row: Metrics["fields"][string]) =>
    isAccepted ? (row.written_differently ?? 0) + (row.similar ?? 0) : row.fd + row.fa + row.fn;
  const found = Object.entries(metrics.fields)
    .filter(([path, row]) => path === chosen || (isLeaf(row) && size(row) > 0))
    .map(([path, row]) => ({ value: path, label: plain(path), labelTag: isLeaf(row) ? count(size(row)) : "" }));
  return [{ value: "", label: "All fields" }, ...found.toSorted((a, b) => a.label.localeCompare(b.label))];
}

function kinds(metrics: Metrics, field: string | undefined): SelectProps.Option[] {
  const held = field ? metrics.error_kinds?.fields[field] : undefined;
  const counts = (held ?? metrics.error_kinds?.total ?? {}) as Record<string, number>;
  const found = Object.entries(counts).map(([kind, n]) => ({
    ...{ value: kind, label: kindOf(kind).word, description: kindOf(kind).meaning, labelTag: count(n) },
  }));
  return [{ value: "", label: "All kinds" }, ...found];
}

function accepted({ aggregate }: Metrics): SelectProps.Option[] {
  const found = Object.keys(WORDS.accepted).map((name) => ({
    ...{ value: name, label: acceptedWord(name), labelTag: count(aggregate[name as "similar"] ?? 0) },
  }));
  return [{ value: "", label: "Either" }, ...found];
}
