import TextFilter from "@cloudscape-design/components/text-filter";
import type { Metrics } from "../data/types";
import { plain } from "../format/text";
import { Choice } from "../parts/Choice";
import { Filter } from "../parts/Filter";
import { accepted, countsOf, fields, kinds, outcomes } from "./errorOptions";
import { GroupFilters } from "./GroupFilters";

interface Props {
  now: Record<string, string | undefined>;
  choose: (more: Record<string, string | undefined>) => void;
  type: (more: Record<string, string | undefined>) => void;
  metrics: Metrics;
}

/** What is listed, and in which order: an outcome, a field, a kind of error, a document. */
export function ErrorFilters({ now, choose, type, metrics }: Props) {
  const isAccepted = now.set === "accepted";
  const counts = countsOf(metrics, now);
  return (
    <div className="filters">
      <Filter
        label="Outcome"
        value={isAccepted ? "accepted" : (now.outcome ?? "")}
        options={outcomes(counts)}
        onChange={(outcome) =>
          outcome === "accepted"
            ? choose({ set: "accepted", outcome: undefined, kind: undefined })
            : choose({ set: undefined, outcome, kind: isAccepted ? undefined : now.kind })
        }
      />
      <Filter
        label="Field"
        value={now.field ?? ""}
        options={fields(counts, now.field, isAccepted)}
        onChange={(field) => choose({ field })}
      />
      <Filter
        label={isAccepted ? "Accepted as" : "Kind of error"}
        value={now.kind ?? ""}
        options={isAccepted ? accepted(counts) : kinds(counts, metrics, now.field)}
        onChange={(kind) => choose({ kind })}
      />
      <GroupFilters metrics={metrics} now={now} choose={choose} />
      <TextFilter
        filteringText={now.find ?? ""}
        filteringPlaceholder="Find any text"
        filteringAriaLabel="Find values by any text"
        filteringClearAriaLabel="Clear"
        onChange={({ detail }) => type({ find: detail.filteringText })}
      />
      <Choice
        label="Order"
        value={now.order ?? "worst"}
        options={[
          { id: "worst", text: isAccepted ? "Least alike" : "Lost points" },
          { id: "path", text: "Path" },
          { id: "document", text: "Document" },
        ]}
        onChange={(order) => choose({ order: order === "worst" ? undefined : order })}
      />
      {now.document !== undefined && (
        <Filter
          label="Document"
          value={now.document}
          options={[
            { value: "", label: "All documents" },
            { value: now.document, label: plain(now.document) },
          ]}
          onChange={(document) => choose({ document: document || undefined, section: undefined })}
        />
      )}
      {now.section !== undefined && (
        <Filter
          label="Section"
          value={now.section}
          options={[
            { value: "", label: "All sections" },
            { value: now.section, label: plain(now.section) },
          ]}
          onChange={(section) => choose({ section: section || undefined })}
        />
      )}
    </div>
  );
}
