import SegmentedControl from "@cloudscape-design/components/segmented-control";
import { useId } from "react";

interface ChoiceProps {
  label: string;
  /** What is chosen; null where it is none of these. */
  value: string | null;
  options: { id: string; text: string }[];
  onChange: (value: string) => void;
}

/** A choice among a few that are all in sight, under a name that all can read. */
export function Choice({ label, value, options, onChange }: ChoiceProps) {
  const id = useId();
  return (
    <div className="choice">
      <span id={id} className="label">
        {label}
      </span>
      <SegmentedControl
        ariaLabelledby={id}
        selectedId={value}
        options={options}
        onChange={({ detail }) => onChange(detail.selectedId)}
      />
    </div>
  );
}
