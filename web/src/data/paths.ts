/** Paths: names with dots between them, `[3]` for a row of a list; within a name both stand after a backslash. */
const STEP = /(?:\\.|[^.[\\])+|\[\d+\]/gs;

export function steps(path: string): string[] {
  return path.match(STEP) ?? [path];
}

const EMPTY = "(empty name)";

/** A step as people know it: the key itself, and words for one without letters. */
export function stepName(step: string): string {
  return step === "\\0" ? EMPTY : step.replace(/\\(.)/gs, "$1");
}

/** A path as people read it: a key without letters has words. */
export function pathName(path: string): string {
  return path.replace(/(^|\.)\\0(?=$|[.[])/g, `$1${EMPTY}`);
}

/** Whether a step is a row of a list. */
export function isRow(step: string): boolean {
  return /^\+?\[\d+\]$/.test(step);
}

/** The path of the row of a field: the key of one beside another row of its path says in brackets what it counts. */
export function pathOf(key: string): string {
  return key.replace(/(?<!\\)\[(values|rows|object)\]$/, "");
}
