import FormField from "@cloudscape-design/components/form-field";
import Select, { type SelectProps } from "@cloudscape-design/components/select";
import { plain } from "../format/text";

interface FilterProps {
  label: string;
  value: string;
  options: SelectProps.Option[];
  onChange: (value: string) => void;
}

/** A choice among options, of which the first is no choice. */
export function Filter({ label, value, options, onChange }: FilterProps) {
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

/** How much an option lists, where that is known. */
export function tagged(labelTag: string | undefined): Pick<SelectProps.Option, "labelTag"> {
  return labelTag === undefined ? {} : { labelTag };
}
