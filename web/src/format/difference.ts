/** Where two texts differ, letter by letter as a reader sees them. */

export interface Part {
  text: string;
  differs: boolean;
}

export interface Difference {
  expected: Part[];
  predicted: Part[];
  /** Where a fold of either text begins that shows the first difference; 0 where the beginning shows it. */
  start: number;
}

/** Of longer differences the letters are not compared one by one, which takes the square of their number. */
const MAX_LETTERS = 500;
const LEAST_ALIKE = 0.5;
/** So many letters of a beginning are in sight wherever it is folded, and so many of a later place stand before it. */
const [IN_SIGHT, BEFORE] = [40, 25];

/** Returns both texts in parts; null where marks would not help: the texts are the same, or have little in common. */
export function differences(expected: string, predicted: string): Difference | null {
  if (expected === predicted) return null;
  const [ours, theirs] = [letters(expected), letters(predicted)];
  const begin = sameBeginning(ours, theirs);
  const end = sameBeginning(ours.slice(begin).reverse(), theirs.slice(begin).reverse());
  const [left, right] = [ours, theirs].map((all) => all.slice(begin, all.length - end)) as [string[], string[]];
  const marked = inner(left, right, Math.max(ours.length, theirs.length), begin > IN_SIGHT);
  if (!marked) return null;
  const [head, tail] = [same(ours.slice(0, begin)), same(ours.slice(ours.length - end))];
  const whole = (parts: Part[]) => joined([head, ...parts, tail]);
  return { expected: whole(marked[0]), predicted: whole(marked[1]), start: startOf(ours.slice(0, begin)) };
}

/** The parts between what is the same at both ends; of texts with little in common they are marked as a whole, or not. */
function inner(ours: string[], theirs: string[], whole: number, isHidden: boolean): [Part[], Part[]] | null {
  const longest = Math.max(ours.length, theirs.length);
  const isAlike = (steps: number) => 1 - steps / whole >= LEAST_ALIKE;
  if (longest <= MAX_LETTERS) {
    const cost = distances(ours, theirs);
    if (isAlike(cost[ours.length]?.[theirs.length] ?? 0)) return walk(ours, theirs, cost);
  }
  if (!isHidden && !isAlike(longest)) return null;
  const asOne = (all: string[]) => [{ text: all.join(""), differs: true }];
  return [asOne(ours), asOne(theirs)];
}

function sameBeginning(ours: readonly string[], theirs: readonly string[]): number {
  const at = ours.findIndex((letter, k) => letter !== theirs[k]);
  return at < 0 ? ours.length : at;
}

function same(all: readonly string[]): Part {
  return { text: all.join(""), differs: false };
}

/** Neighbours that both are the same, or both differ, become one part. */
function joined(parts: readonly Part[]): Part[] {
  const found: Part[] = [];
  for (const part of parts.filter(({ text }) => text)) {
    const last = found.at(-1);
    if (last?.differs === part.differs) last.text += part.text;
    else found.push({ ...part });
  }
  return found;
}

/** Begins a few letters before the first difference, in its line, unless that is near the beginning. */
function startOf(begin: readonly string[]): number {
  const text = begin.join("");
  if (begin.length <= IN_SIGHT && text.split("\n").length <= 2) return 0;
  return Math.max(text.lastIndexOf("\n") + 1, begin.slice(0, -BEFORE).join("").length);
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
