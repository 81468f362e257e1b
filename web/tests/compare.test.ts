import { expect, test } from "vitest";
import { csvOfFlips } from "../src/compare/flipColumns";
import type { Flip } from "../src/data/types";
import { scaleStart } from "../src/parts/DeltaPlot";

const FLIP: Flip = {
  direction: "broken",
  document: "d 1",
  path: "items[2].price",
  field: "items.price",
  expected: "=1+1",
  base: "=1+1",
  candidate: null,
  base_outcome: "match",
  candidate_outcome: "missed",
  base_reason: null,
  candidate_reason: "alone",
};

test("flips are saved with both values, what the page says of them, and nothing that a spreadsheet runs", () => {
  const [heads, row] = csvOfFlips([FLIP]).split("\r\n");
  expect(heads).toBe("change,document,field,path,expected,base,base_note,candidate,candidate_note");
  expect(row).toBe(`broken,d 1,items.price,items[2].price,'=1+1,'=1+1,,,"missed, row not paired"`);
});

test("the scale of both runs begins at the tenth below all rates of enough documents", () => {
  const rate = (value: number | null, low: number | null = value) => ({ value, low });
  const row = (low: number, n = 50) => ({ base: rate(0.95, low), candidate: rate(0.97), n });
  expect(scaleStart([row(0.91)])).toBe(0.9);
  expect(scaleStart([row(0.91), row(0.72)])).toBe(0.7);
  expect(scaleStart([row(0.72), row(0.0, 3)])).toBe(0.7);
  expect(scaleStart([row(0.0)])).toBe(0);
  expect(scaleStart([{ base: rate(null), candidate: rate(1), n: 50 }])).toBe(0.9);
  expect(scaleStart([])).toBe(0.9);
});
