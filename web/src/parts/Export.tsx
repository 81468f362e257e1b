import Button from "@cloudscape-design/components/button";
import SpaceBetween from "@cloudscape-design/components/space-between";
import { saveCsv } from "../format/csv";
import { CopyButton } from "./CopyButton";

/** Copies or saves what the filters choose as CSV, also what is below the part that is shown. */
export function Export({ name, text }: { name: string; text: () => Promise<string> }) {
  return (
    <SpaceBetween direction="horizontal" size="xs">
      <CopyButton text={text} />
      <Button iconName="download" onClick={async () => saveCsv(name, await text())}>
        CSV
      </Button>
    </SpaceBetween>
  );
}
