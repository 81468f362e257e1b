import TextFilter from "@cloudscape-design/components/text-filter";
import { readTrial } from "../data/documents";
import type { Summary } from "../data/interface";
import { plain } from "../format/text";
import { Choice } from "../parts/Choice";
import { Filter } from "../parts/Filter";
import { accepted, fields, kinds, outcomes, tagOf, withOutcome } from "./errorOptions";
import { GroupFilters } from "./GroupFilters";
import { questionOf } from "./question";

interface Props {
  now: Record<string, string | undefined>;
  choose: (more: Record<string, string | undefined>) => void;
  type: (more: Record<string, string | undefined>) => void;
  sums: Summary;
}

/** What is listed, and in which order: an outcome, a field, a kind of error, a document. */
export function ErrorFilters({ now, choose, type, sums }: Props) {
  const isAccepted = now.set === "accepted";
  const order = questionOf(now).order ?? "worst";
  return (
    <div className="filters">
      <Filter
        label="Outcome"
        value={isAccepted ? "accepted" : (now.outcome ?? "")}
        options={outcomes(sums, now)}
        onChange={(outcome) => choose(withOutcome(now, outcome))}
      />
      <Filter
        label="Field"
        value={now.field ?? ""}
        options={fields(sums, now)}
        onChange={(field) => choose({ field })}
      />
      <Filter
        label={isAccepted ? "Accepted as" : "Kind of error"}
        value={now.kind ?? ""}
        options={isAccepted ? accepted(sums, now) : kinds(sums, now)}
        onChange={(kind) => choose({ kind })}
      />
      <GroupFilters metrics={sums.metrics} now={now} choose={choose} tagOf={(more) => tagOf(sums, now, more)} />
      <TextFilter
        filteringText={now.find ?? ""}
        filteringPlaceholder="Find any text"
        filteringAriaLabel="Find values by any text"
        filteringClearAriaLabel="Clear"
        onChange={({ detail }) => type({ find: detail.filteringText })}
      />
      <Choice
        label="Order"
        value={order}
        options={[
          { id: "worst", text: isAccepted ? "Least alike" : "Lost points" },
          { id: "path", text: "Path" },
          { id: "document", text: "Document" },
        ]}
        onChange={(order) => choose({ order: order === "worst" ? undefined : order })}
      />
      {narrowed(now).map(({ name, label, all, chosen, more }) => (
        <Filter
          key={name}
          label={label}
          value={now[name] ?? ""}
          options={[
            { value: "", label: all },
            { value: now[name] ?? "", label: chosen },
          ]}
          onChange={(value) => !value && choose({ [name]: undefined, ...more })}
        />
      ))}
    </div>
  );
}

/** What the address narrows the list to, and what ends with it. */
function narrowed({ document, trial, section }: Props["now"]) {
  const ofDocument = { trial: undefined, section: undefined };
  return [
    { name: "document", label: "Document", all: "All documents", chosen: plain(document ?? ""), more: ofDocument },
    { name: "trial", label: "Trial", all: "All trials", chosen: readTrial(trial) ? `trial ${trial}` : "", more: {} },
    { name: "section", label: "Section", all: "All sections", chosen: plain(section ?? ""), more: {} },
  ].filter(({ chosen }) => chosen);
}
