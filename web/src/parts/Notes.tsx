import { Shown } from "./Text";

/** What a reader of the numbers should know, in sentences. */
export function Notes({ sentences }: { sentences: string[] }) {
  if (!sentences.length) return null;
  return (
    <ul className="notes">
      {sentences.map((text) => (
        <li key={text}>
          <Shown text={text} breaks="/_" />
        </li>
      ))}
    </ul>
  );
}
