import { expect, test } from "vitest";
import { FileData } from "../src/data/file";
import { flipTotal } from "../src/data/flips";
import type { Summary } from "../src/data/interface";
import { kindOf } from "../src/format/words";
import { accepted, fields, kinds, outcomes, tagOf, withOutcome } from "../src/run/errorOptions";
import { questionOf } from "../src/run/question";
import { readSorting } from "../src/state/sorting";
import { ANSWERS } from "./answers";

const DATA = new FileData(ANSWERS);
type Chosen = Record<string, string | undefined>;
type Options = ReturnType<typeof outcomes>;

const tags = (options: Options) => options.map(({ value, labelTag }) => `${value}: ${labelTag ?? "?"}`);

async function listed(now: Chosen): Promise<number | null> {
  return (await DATA.values({ ...questionOf(now), first: 9 })).total;
}

test.each<Chosen>([
  {},
  { field: "total" },
  { field: "rows" },
  { outcome: "missed" },
  { kind: "ocr" },
  { set: "accepted" },
  { kind: "ocr", outcome: "mismatch" },
  { class: "Invoice", slice: "vendor" },
  { field: "__proto__", kind: "constructor" },
])("an option counts what choosing it lists: %j", async (now) => {
  const sums: Summary = await DATA.summary();
  const check = async (options: Options, choosing: (value: string) => Chosen) => {
    for (const { value = "", labelTag } of options.filter((option) => option.labelTag !== undefined)) {
      expect(labelTag).toBe(String(await listed({ ...now, ...choosing(value) })));
    }
  };
  await check(outcomes(sums, now), (outcome) => withOutcome(now, outcome));
  await check(fields(sums, now), (field) => ({ field }));
  await check((now.set ? accepted : kinds)(sums, now), (kind) => ({ kind }));
});

test("options are narrowed by the other filters", async () => {
  const sums = await DATA.summary();
  expect(tags(outcomes(sums, { field: "note" }))).toEqual([
    ...[": 1", "mismatch: 0", "missed: 0", "spurious: 1", "mismatch,spurious: 1", "accepted: 0"],
  ]);
  expect(tags(fields(sums, { outcome: "spurious" }))).toEqual([": ?", "note: 1"]);
  expect(tags(kinds(sums, { field: "note" }))).toEqual([": ?"]);
  expect(tags(outcomes(sums, { kind: "ocr" })).slice(0, 2)).toEqual([": 4", "mismatch: ?"]);
  expect(tags(fields(sums, { find: "x" }))).toEqual([": ?", "note: ?", "rows.sku: ?", "total: ?"]);
});

test("what no run has lists nothing, whatever it is called", async () => {
  for (const now of [{ outcome: "bogus" }, { field: "__proto__", kind: "constructor" }, { kind: "toString" }]) {
    expect(await listed(now)).toBe(0);
  }
  expect(await listed({ set: "accepted", kind: "bogus" })).toBe(0);
  expect(tagOf(await DATA.summary(), {}, { outcome: "constructor" })).toBe("0");
  expect(kindOf("constructor")).toEqual({ word: "constructor", meaning: "" });
});

test("a column that no table has sorts nothing", () => {
  expect(readSorting("-tp", ["tp"])).toEqual({ key: "tp", isDown: true });
  expect(["constructor", "-", "", undefined].map((text) => readSorting(text, ["tp"]))).toEqual(
    Array(4).fill(undefined),
  );
});

test("flips are counted by field and direction, and not where a text is searched", () => {
  const flips = {
    fixed: 3,
    broken: 2,
    shown: [],
    fields: { a: { fixed: 1, broken: 2 }, "b.c": { fixed: 2, broken: 0 } },
  };
  expect(flipTotal(flips, {})).toBe(5);
  expect(flipTotal(flips, { field: "b" })).toBe(2);
  expect(flipTotal(flips, { field: "a", direction: "broken" })).toBe(2);
  expect(flipTotal(flips, { field: "constructor" })).toBe(0);
  expect(flipTotal(flips, { find: "x" })).toBeNull();
});
