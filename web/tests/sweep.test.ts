import { expect, test } from "vitest";
import { FileData } from "../src/data/file";
import type { Rates, Sweep } from "../src/data/types";
import { height, lowest, marksUpTo, pointAt } from "../src/state/sweep";

function rates(value: number, low: number | null = null): Rates {
  const one = { value };
  return { precision: one, recall: one, strict_recall: one, f1: one, strict_f1: { value, low, high: 1 } };
}

const SWEEP: Sweep = {
  ...{ field: "name", comparator: "text", threshold: 0.7, documents: 3, swept: 9, rejected: 0, mistyped: 0, raised: 0 },
  points: [0.5, 0.7, 0.9].map((threshold) => ({
    ...{ threshold, tp: 5, fd: 4, fa: 0, fn: 0, rates: rates(threshold, threshold / 2) },
  })),
  ...{ current: 0.7, best: 0.5, scores: [], nearest: [] },
  difference: { base: 0, candidate: 0, delta: 0, low: 0, high: 0, n: 3, se: 0, t: 0, p: 0 },
};

test("the address names a threshold of the sweep; any other means that of the run", () => {
  expect(pointAt(SWEEP, "0.9")?.threshold).toBe(0.9);
  expect(pointAt(SWEEP, "0.65")?.threshold).toBe(0.7);
  expect(pointAt(SWEEP, undefined)?.threshold).toBe(0.7);
});

test("drawings begin below the lowest rate and bound", () => {
  expect(lowest(SWEEP)).toBeCloseTo(0.2);
  expect(lowest({ ...SWEEP, points: [] })).toBeCloseTo(0.8);
});

test("counts stand on a logarithmic scale that has a place for 0", () => {
  expect([height(0), height(9), height(99)]).toEqual([0, 1, 2]);
  expect([marksUpTo(0), marksUpTo(9), marksUpTo(470)]).toEqual([
    [0, 1],
    [0, 1],
    [0, 1, 10, 100],
  ]);
});

test("a file with a sweep shows it", async () => {
  const page = { sweep: SWEEP, best: "b", unchanged: "u" };
  expect((await new FileData({ title: "t", sweep: page }).about()).shows).toBe("sweep");
  expect(await new FileData({ title: "t", sweep: page }).sweep()).toBe(page);
});
