import Button from "@cloudscape-design/components/button";
import { count, counted } from "../format/numbers";

interface Props {
  shown: number;
  held: number;
  total: number | null;
  noun: string;
  plural?: string;
  more: (() => void) | undefined;
  /** What lists those that are not here. */
  command?: string | undefined;
  /** What that lists. */
  commandLists?: string | undefined;
  /** What else is known of those that are counted. */
  remark?: string | undefined;
}

/** Says how many of how many are shown, and where the others are. */
export function ShowMore({ shown, held, total, noun, plural, more, command, commandLists = "all", remark }: Props) {
  return (
    <div className="more">
      <p aria-live="polite">
        {shown === (total ?? held)
          ? counted(shown, noun, plural)
          : `${count(shown)} of ${counted(total ?? held, noun, plural)}`}
        {remark}
        {total !== null && total > held && `; ${count(held)} are in this file`}
        {total !== null && total > held && command && (
          <>
            {`, ${commandLists} are listed by `}
            <code>{command}</code>
          </>
        )}
      </p>
      {more && <Button onClick={more}>Show more</Button>}
    </div>
  );
}
