import { Fragment, useState } from "react";
import { pathName } from "../data/paths";
import { type Difference, differences, type Part } from "../format/difference";
import { count } from "../format/numbers";
import { codePoint, pieces } from "../format/text";
import { DASH } from "../format/words";

const LONG = 160;
const LONG_LINES = 3;

/** Text with names for characters that would not be seen; it may break after the given ones. */
export function Shown({ text, breaks = "" }: { text: string; breaks?: string }) {
  return pieces(text).map((piece, k) =>
    piece.unseen ? (
      <span key={k} className="unseen" title={codePoint(piece.text)}>
        {piece.unseen}
      </span>
    ) : (
      <Fragment key={k}>{breaks ? broken(piece.text, breaks) : piece.text}</Fragment>
    ),
  );
}

function broken(text: string, breaks: string) {
  const parts = text.split(new RegExp(`(?<=[${breaks}])`));
  return parts.map((part, k) => (k ? [<wbr key={k} />, part] : part));
}

/** A name: of a field, a path or a document, in its own direction. */
export function Name({ text, breaks = "._" }: { text: string; breaks?: string }) {
  return (
    <bdi className="name">
      <Shown text={text} breaks={breaks} />
    </bdi>
  );
}

/** The name of a field, or a path to a value. */
export function PathName({ path }: { path: string }) {
  return <Name text={pathName(path)} />;
}

export function Nothing() {
  return (
    <span className="quiet" title="no value">
      {DASH}
    </span>
  );
}

/** What of a text differs from the other side, and where a fold of it begins. */
export type Marks = { parts: Part[] } & Pick<Difference, "start">;

interface ValueProps {
  text: string | null | undefined;
  marks?: Marks | undefined;
  /** How long the value is where its text is only the beginning. */
  length?: number | null | undefined;
}

/** A value; what differs from the other side is marked, a long one is folded. */
export function Value({ text, marks, length }: ValueProps) {
  const [isOpen, setOpen] = useState(false);
  if (text === null || text === undefined) return <Nothing />;
  if (!text) return <span className="quiet">empty text</span>;
  const isLong = text.length > LONG || text.split("\n").length > LONG_LINES;
  const isFolded = isLong && !isOpen;
  const parts = marks ? (isFolded ? fromStart(marks) : marks.parts) : [{ text, differs: false }];
  const isPadded = text !== text.trim();
  return (
    <span className="cell-value">
      <bdi className={`value ${isLong ? "long" : ""} ${isFolded ? "folded" : ""}`}>
        {isPadded && <span className="quiet">“</span>}
        {parts.map((part, k) => (
          <Marked key={`${k}-${part.text}`} part={part} />
        ))}
        {isPadded && <span className="quiet">”</span>}
      </bdi>
      {isLong && (
        <button type="button" className="plain-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "fold" : length ? "show more" : "show all"}
        </button>
      )}
      {length ? (
        <small className="quiet">
          {" "}
          the first {count([...text].length)} of {count(length)} characters
        </small>
      ) : null}
    </span>
  );
}

/** Leaves out the beginning before the place where a fold begins: it is the same on both sides. */
function fromStart({ parts, start }: Marks): Part[] {
  const [first, ...rest] = parts;
  return first && start ? [{ ...first, text: `…${first.text.slice(start)}` }, ...rest] : parts;
}

function Marked({ part }: { part: Part }) {
  return part.differs ? (
    <mark>
      <Shown text={part.text.trim() ? part.text : part.text.replaceAll("\n", "↵\n")} />
    </mark>
  ) : (
    <Shown text={part.text} />
  );
}

/** Both sides of a compared value, with their difference marked. */
export function bothSides(expected: string | null | undefined, predicted: string | null | undefined) {
  const found = expected && predicted ? differences(expected, predicted) : null;
  const marksOf = (side: "expected" | "predicted"): Marks | undefined =>
    found ? { parts: found[side], start: found.start } : undefined;
  return { expected: marksOf("expected"), predicted: marksOf("predicted") };
}
