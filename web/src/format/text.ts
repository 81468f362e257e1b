/** Text as it is: characters that nobody would see have names, and nothing is lost. */

import { pathName } from "../data/paths";

// What a browser changes, hides or lets reorder its neighbours, and lone surrogates. Tab and line feed stay, and so do
// the joiners of emoji and of Persian words.
const UNSEEN =
  /([\u0000-\u0008\u000b-\u001f\u007f-\u00a0\u00ad\u061c\u200b\u200e\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff])/;

const NAMES: Record<number, string> = {
  ...{ 0: "NUL", 7: "BEL", 8: "BS", 11: "VT", 12: "FF", 13: "CR", 27: "ESC", 127: "DEL", 160: "NBSP", 173: "SHY" },
  ...{ 8203: "ZWSP", 8206: "LRM", 8207: "RLM", 8239: "NNBSP", 65279: "BOM" },
  ...{ 8234: "LRE", 8235: "RLE", 8236: "PDF", 8237: "LRO", 8238: "RLO" },
};

export interface Piece {
  text: string;
  /** The name of a character that would not be seen. */
  unseen?: string;
}

export function pieces(text: string): Piece[] {
  return text
    .split(UNSEEN)
    .map((part, k) => (k % 2 ? { text: part, unseen: nameOf(part) } : { text: part }))
    .filter((piece) => piece.text);
}

export function codePoint(character: string): string {
  return `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
}

function nameOf(character: string): string {
  return NAMES[character.charCodeAt(0)] ?? codePoint(character);
}

/** Text for places that hold no elements: what would not be seen is replaced by its name. */
export function plain(text: string): string {
  return pieces(text)
    .map((piece) => (piece.unseen ? `[${piece.unseen}]` : piece.text))
    .join("");
}

/** The name of a field, for places that hold no elements. */
export function plainPath(path: string): string {
  return plain(pathName(path));
}

/** A word of a command, in quotation marks where a shell would read it otherwise. */
export function quoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
