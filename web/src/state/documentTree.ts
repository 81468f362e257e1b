/** The values of a document as a tree: objects, lists and their rows, with what each row was paired with. */
import { isRow, steps } from "../data/paths";
import type { PageValue } from "../data/types";

export interface TreeRow {
  key: string;
  label: string;
  depth: number;
  /** Of the row of a section: its class, where it has one. */
  section?: { id: string; class: string | null };
  /** The value at a leaf; none at an object, a list or a row. */
  value?: PageValue;
  /** Of a row of a list: the place of its partner, where it has another; the likeness of the two. */
  paired?: string;
  pairScore?: number;
  wrong: number;
}

/** Rows of sections stand apart, each under its section; one of the wrong class is there under both classes. */
export function documentTree(values: readonly PageValue[]): TreeRow[] {
  const found: TreeRow[] = [];
  const groups = grouped(values, ({ section, class: name }) => JSON.stringify([section, name]));
  for (const [key, group] of [...groups].sort(([, [a]], [, [b]]) => bySection(a, b))) {
    const [first] = group;
    const section = first?.section ?? undefined;
    if (section === undefined) {
      visit(found, group, { depth: 0, indent: 0, prefix: "" });
      continue;
    }
    const wrong = group.filter((value) => value.outcome !== "match").length;
    found.push({ key, label: section, depth: 0, section: { id: section, class: first?.class ?? null }, wrong });
    visit(found, group, { depth: 0, indent: 1, prefix: key });
  }
  return found;
}

function bySection(a: PageValue | undefined, b: PageValue | undefined): number {
  return (a?.section ?? "").localeCompare(b?.section ?? "", undefined, { numeric: true });
}

function grouped(values: readonly PageValue[], keyOf: (value: PageValue) => string): Map<string, PageValue[]> {
  const groups = new Map<string, PageValue[]>();
  for (const value of values) {
    const held = groups.get(keyOf(value));
    if (held) held.push(value);
    else groups.set(keyOf(value), [value]);
  }
  return groups;
}

interface At {
  /** How many steps of the path are behind. */
  depth: number;
  /** How far rows are set in on top of that. */
  indent: number;
  prefix: string;
}

function pathOf(value: PageValue): string[] {
  return steps(value.path ?? value.predicted_path ?? value.field);
}

/** Rows that only the predicted document has stand apart from those of the expected one. */
function placeOf(value: PageValue, depth: number): string {
  const step = pathOf(value)[depth] ?? "";
  return !value.path && isRow(step) ? `+${step}` : step;
}

function visit(found: TreeRow[], values: PageValue[], at: At): void {
  const { depth, indent, prefix } = at;
  const groups = grouped(values, (value) => placeOf(value, depth));
  for (const [place, group] of [...groups].sort(([a], [b]) => byPlace(a, b))) {
    const key = `${prefix}/${place}`;
    const leaves = group.filter((value) => pathOf(value).length === depth + 1);
    const inner = group.filter((value) => pathOf(value).length > depth + 1);
    for (const value of leaves)
      found.push({ key: `${key} ${value.predicted_path}`, label: place, depth: depth + indent, value, wrong: 0 });
    if (!inner.length) continue;
    const wrong = inner.filter((value) => value.outcome !== "match").length;
    found.push({ key, label: place, depth: depth + indent, wrong, ...pairing(place, inner, depth) });
    visit(found, inner, { depth: depth + 1, indent, prefix: key });
  }
}

/** Rows of a list by their numbers, those of the predicted document alone at the end; other names stay as they are. */
function byPlace(a: string, b: string): number {
  if (!isRow(a) || !isRow(b)) return 0;
  const numberOf = (place: string) => Number(place.match(/\d+/)?.[0]);
  return Number(a.startsWith("+")) - Number(b.startsWith("+")) || numberOf(a) - numberOf(b);
}

function pairing(place: string, values: PageValue[], depth: number): Pick<TreeRow, "paired" | "pairScore"> {
  if (!isRow(place)) return {};
  const held = values.find((value) => value.path && value.predicted_path);
  const partner = held?.predicted_path ? steps(held.predicted_path)[depth] : undefined;
  const score = held?.pair_score ?? undefined;
  return {
    ...(partner && partner !== place ? { paired: partner } : {}),
    ...(score === undefined ? {} : { pairScore: score }),
  };
}
