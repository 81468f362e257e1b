import Container from "@cloudscape-design/components/container";
import Header from "@cloudscape-design/components/header";
import TextFilter from "@cloudscape-design/components/text-filter";
import type { Rule } from "../data/types";
import { number } from "../format/numbers";
import { DataTable } from "../parts/DataTable";
import { PathName, Shown } from "../parts/Text";
import { useChoices } from "../state/useAddress";
import type { TabProps } from "./RunPage";

/** What was compared how, and why. */
export function Spec({ sums, chosen }: TabProps) {
  const { now, type } = useChoices("spec", chosen);
  const find = now.find?.toLowerCase() ?? "";
  const rules = sums.rules.filter((rule) =>
    `${rule.path} ${rule.how} ${rule.class ?? ""}`.toLowerCase().includes(find),
  );
  if (!sums.rules.length) return <p className="quiet">This run does not say how it compared.</p>;
  return (
    <Container
      header={
        <Header variant="h2" description="How every field is compared, and where each setting came from">
          Spec
        </Header>
      }
    >
      <div className="filters">
        <TextFilter
          filteringText={now.find ?? ""}
          filteringPlaceholder="Find fields or comparators"
          filteringAriaLabel="Find fields or comparators"
          filteringClearAriaLabel="Clear"
          onChange={({ detail }) => type({ find: detail.filteringText })}
        />
      </div>
      <DataTable
        className="values"
        label="How fields are compared"
        rows={rules}
        keyOf={(rule) => `${rule.class ?? ""} ${rule.path}`}
        columns={[
          { key: "path", title: "path", head: true, cell: (rule) => <PathName path={rule.path} /> },
          ...(sums.rules.some((rule) => rule.class)
            ? [{ key: "class", title: "class", cell: (rule: Rule) => <Shown text={rule.class ?? ""} breaks=" ._/" /> }]
            : []),
          { key: "how", title: "compared as", look: "words", cell: (rule) => <Shown text={rule.how} /> },
          { key: "threshold", title: "threshold", numeric: true, cell: (rule) => number(rule.threshold) },
          { key: "weight", title: "weight", numeric: true, cell: (rule) => number(rule.weight) },
          { key: "because", title: "because", look: "words", cell: (rule) => <Shown text={rule.because} /> },
        ]}
      />
      {sums.ruleNotes.map((note) => (
        <p key={note} className="quiet">
          <Shown text={note} />
        </p>
      ))}
    </Container>
  );
}
