import FormField from "@cloudscape-design/components/form-field";
import Select from "@cloudscape-design/components/select";
import type { ConfidencePage as Answers } from "../data/types";
import { plainPath } from "../format/text";
import { PathName } from "../parts/Text";
import { writeAddress } from "../state/address";
import { neighbours, worstFirst } from "../state/confidence";
import type { Choices } from "./ConfidencePage";

export const ALL = "All fields together";

/** Chooses a field, or goes from one to the next. */
export function Chooser({
  answers,
  now,
  choose,
  name,
}: Pick<Choices, "now" | "choose"> & { answers: Answers; name: string | null }) {
  const { before, after } = neighbours(answers.calibration, name);
  const to = (field: string | null) => writeAddress("confidence", { ...now, field: field ?? undefined });
  const options = worstFirst(answers.calibration).map((field) => ({ value: field.name, label: plainPath(field.name) }));
  return (
    <div className="filters chooser">
      <FormField label="Field">
        <Select
          filteringType={options.length > 10 ? "auto" : "none"}
          filteringAriaLabel="Find fields"
          selectedOption={name === null ? { value: "", label: ALL } : { value: name, label: plainPath(name) }}
          options={[{ value: "", label: ALL }, ...options]}
          onChange={({ detail }) => choose({ field: detail.selectedOption.value || undefined })}
        />
      </FormField>
      <nav aria-label="From field to field">
        {before !== undefined && (
          <a href={to(before)}>← {before === null ? "all fields" : <PathName path={before} />}</a>
        )}
        {after !== undefined && (
          <a href={to(after)}>
            <PathName path={after} /> →
          </a>
        )}
      </nav>
    </div>
  );
}
