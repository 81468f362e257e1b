/** Where two texts differ, letter by letter as a reader sees them. */

export interface Part {
  text: string;
  differs: boolean;
}

const MAX_CHARACTERS = 500;
const LEAST_ALIKE = 0.5;

/** Returns both texts in parts; null where marks would not help: the texts are the same, long, or have little in common. */
export function differences(expected: string, predicted: string): [Part[], Part[]] | null {
  if (expected === predicted || Math.max(expected.length, predicted.length) > MAX_CHARACTERS) return null;
  const [ours, theirs] = [letters(expected), letters(predicted)];
  const cost = distances(ours, theirs);
  const steps = cost[ours.length]?.[theirs.length] ?? 0;
  if (1 - steps / Math.max(ours.length, theirs.length) < LEAST_ALIKE) return null;
  return walk(ours, theirs, cost);
}

function letters(text: string): string[] {
  return Array.from(new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text), (part) => part.segment);
}

/** The fewest letters to replace, leave out or put in, for all beginnings of the two texts. */
function distances(ours: string[], theirs: string[]): Uint16Array[] {
  const rows = [Uint16Array.from({ length: theirs.length + 1 }, (_, k) => k)];
  for (let i = 1; i <= ours.length; i++) {
    const above = rows[i - 1] as Uint16Array;
    const row = new Uint16Array(theirs.length + 1);
    row[0] = i;
    for (let j = 1; j <= theirs.length; j++) {
      const replaced = (above[j - 1] as number) + (ours[i - 1] === theirs[j - 1] ? 0 : 1);
      row[j] = Math.min(replaced, (above[j] as number) + 1, (row[j - 1] as number) + 1);
    }
    rows.push(row);
  }
  return rows;
}

function walk(ours: string[], theirs: string[], cost: Uint16Array[]): [Part[], Part[]] {
  const at = (i: number, j: number) => cost[i]?.[j] ?? 0;
  const [left, right]: [Part[], Part[]] = [[], []];
  let [i, j] = [ours.length, theirs.length];
  while (i > 0 || j > 0) {
    const isSame = i > 0 && j > 0 && ours[i - 1] === theirs[j - 1] && at(i, j) === at(i - 1, j - 1);
    const isReplaced = !isSame && i > 0 && j > 0 && at(i, j) === at(i - 1, j - 1) + 1;
    const takesLeft = isSame || isReplaced || (i > 0 && at(i, j) === at(i - 1, j) + 1);
    const takesRight = isSame || isReplaced || !takesLeft;
    if (takesLeft) put(left, ours[--i] as string, !isSame);
    if (takesRight) put(right, theirs[--j] as string, !isSame);
  }
  return [left.reverse(), right.reverse()];
}

/** Puts a letter before what was put last. */
function put(parts: Part[], letter: string, differs: boolean): void {
  const last = parts.at(-1);
  if (last?.differs === differs) last.text = letter + last.text;
  else parts.push({ text: letter, differs });
}
