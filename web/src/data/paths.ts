/** Paths: names with dots between them, `[3]` for a row of a list; within a name both stand after a backslash. */
const STEP = /(?:\\.|[^.[\\])+|\[\d+\]/gs;

export function steps(path: string): string[] {
  return path.match(STEP) ?? [path];
}

/** A step as people know it: the key itself. */
export function stepName(step: string): string {
  return step.replace(/\\(.)/gs, (_, letter: string) => (letter === "0" ? "" : letter));
}

/** Whether a step is a row of a list. */
export function isRow(step: string): boolean {
  return /^\+?\[\d+\]$/.test(step);
}
