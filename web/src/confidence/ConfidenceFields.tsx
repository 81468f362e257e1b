import Container from "@cloudscape-design/components/container";
import ExpandableSection from "@cloudscape-design/components/expandable-section";
import Header from "@cloudscape-design/components/header";
import TextFilter from "@cloudscape-design/components/text-filter";
import type { Calibration } from "../data/types";
import { counted } from "../format/numbers";
import { DataTable } from "../parts/DataTable";
import { PathName } from "../parts/Text";
import { SORT_KEYS, sortedFields, worstFirst } from "../state/confidence";
import { readSorting, writeSorting } from "../state/sorting";
import type { Choices } from "./ConfidencePage";
import { columnsOf } from "./fieldColumns";

const WORST = { key: "worst", isDown: true };

interface Props {
  calibration: Calibration;
  choices: Choices;
  /** The field whose figures are shown. */
  shown: string | null;
}

/** The fields, worst calibrated first; a name opens to its figures. */
export function ConfidenceFields({ calibration, choices: { now, choose, type }, shown }: Props) {
  const sorting = readSorting(now.sort, SORT_KEYS) ?? WORST;
  const find = now.find?.toLowerCase() ?? "";
  const all = worstFirst(calibration);
  const found = all.filter((field) => field.name.toLowerCase().includes(find));
  const { without_confidences: without } = calibration;
  return (
    <Container
      header={
        <Header variant="h2" description={`${counted(all.length, "field")}, the worst calibrated first`}>
          Fields
        </Header>
      }
    >
      <div className="filters">
        <TextFilter
          filteringText={now.find ?? ""}
          filteringPlaceholder="Find fields"
          filteringAriaLabel="Find fields"
          filteringClearAriaLabel="Clear"
          countText={find ? counted(found.length, "field") : ""}
          onChange={({ detail }) => type({ find: detail.filteringText })}
        />
      </div>
      {found.length ? (
        <DataTable
          label="Fields, worst calibrated first"
          rows={sortedFields(found, sorting)}
          keyOf={(field) => field.name}
          columns={columnsOf(calibration, now)}
          sorting={sorting}
          onSort={(next) =>
            choose({ sort: writeSorting(next) === writeSorting(WORST) ? undefined : writeSorting(next) })
          }
          rowLook={(field) => (field.name === shown ? "chosen" : "")}
        />
      ) : (
        <p className="quiet">No field is called so.</p>
      )}
      {without.length > 0 && (
        <ExpandableSection headerText={`${counted(without.length, "field")} without confidences`}>
          <ul className="names">
            {without.map((name) => (
              <li key={name}>
                <PathName path={name} />
              </li>
            ))}
          </ul>
        </ExpandableSection>
      )}
    </Container>
  );
}
