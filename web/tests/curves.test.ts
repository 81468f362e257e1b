import { expect, test } from "vitest";
import { csvOf } from "../src/format/csv";
import { commandOf, questionOf } from "../src/run/question";
import { atThreshold, scoreBins } from "../src/state/curves";
import { counts } from "./answers";

const CURVE = {
  field: "x",
  threshold: 0.85,
  both: 10,
  matches: Array.from({ length: 101 }, (_, k) => (k <= 40 ? 8 : 6)),
};
const ROW = counts(5, 5, 1, 2);

test("a lower threshold accepts more, and F1 follows", () => {
  const low = atThreshold(CURVE, ROW, 40);
  expect(low).toMatchObject({ tp: 8, fd: 2, fa: 1, fn: 2, fp: 3 });
  expect(low.rates.strict_f1.value).toBeCloseTo(16 / (16 + 4 + 1 + 2));
  expect(atThreshold(CURVE, ROW, 41).tp).toBe(6);
});

test("at the threshold of the run the counts are its own", () => {
  expect(atThreshold(CURVE, ROW, 85)).toMatchObject({ tp: 5, fd: 5 });
});

test("scores fall into bins", () => {
  const bins = scoreBins(CURVE);
  expect([bins[8], bins.at(-1), bins.reduce((sum, n) => sum + n, 0)]).toEqual([2, 6, 8]);
});

test("no spreadsheet runs what is exported", () => {
  const text = csvOf([{ document: "=1+1", field: "a,b", outcome: "mismatch", expected: '-"2"', raw_score: 0.5 }]);
  expect(text.split("\r\n")[1]).toBe(`'=1+1,,,,"a,b",,,mismatch,,,"'-""2""",,0.5,`);
});

test("what is not in the file has a command that lists it", () => {
  const question = questionOf({ field: "a b", outcome: "mismatch,spurious", kind: "ocr" });
  expect(commandOf(question)).toBe(
    "fieldwise show RESULTS --outcome mismatch --outcome spurious --field 'a b' --kind ocr --limit 0",
  );
});
