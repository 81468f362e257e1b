import { describe, expect, test } from "vitest";
import { reviewWords } from "../src/confidence/FieldFigures";
import { FileData } from "../src/data/file";
import type { Calibration, FieldCalibration, PageAnswers } from "../src/data/types";
import { shortCount, tick } from "../src/format/numbers";
import {
  caughtAt,
  clearPlace,
  fieldIn,
  neighbours,
  type Point,
  pointsNear,
  reviewLine,
  riskLine,
  roundUp,
  sortedFields,
  worstFirst,
} from "../src/state/confidence";

function field(name: string, ece: number | null, more: Partial<FieldCalibration> = {}): FieldCalibration {
  return {
    ...{ name, documents: 4, predicted: 10, missed: 1, n: 10, right: 8, coverage: 1, accuracy: 0.8, ece },
    ...{ signed_error: 0.1, mean_confidence: 0.9, bins: [], ece_by_chance: 0.05, ece_equal_mass: null, mce: null },
    ...{ ece_beyond_chance: ece, ece_p: null },
    ...{ brier: null, log_loss: null, spiegelhalter_z: null, auroc: null, error_average_precision: null },
    ...{ review: [], review_curve: [], review_area: null, risk_curve: [], risk_area: null, acceptance: null },
    undefined: {},
    ...more,
  };
}

const REVIEW = [
  { share: 0.2, caught: 0.5 },
  { share: 0.3, caught: 0.716 },
];
const CALIBRATION: Calibration = {
  bins: 10,
  target_error: 0.05,
  guarantee: "error",
  pooled: field("all fields", 0.1, { review: REVIEW }),
  fields: { total: field("total", 0.2), "7": field("7", 0.1), name: field("name", 0.2), note: field("note", null) },
  without_confidences: [],
  spec_fingerprint: null,
};
const WORDS = { leaning: "", accept: "", bare: "" };
const CONFIDENCE = {
  calibration: CALIBRATION,
  pooled: { ...WORDS, leaning: "of all" },
  fields: { total: { ...WORDS, leaning: "of total" } },
};

test("fields come worst first, then by name, whatever their names are", () => {
  expect(worstFirst(CALIBRATION).map(({ name }) => name)).toEqual(["name", "total", "7", "note"]);
});

test("what is undefined comes last in either order", () => {
  const names = (isDown: boolean) =>
    sortedFields(worstFirst(CALIBRATION), { key: "ece", isDown }).map(({ name }) => name);
  expect(names(true)).toEqual(["name", "total", "7", "note"]);
  expect(names(false)).toEqual(["7", "name", "total", "note"]);
});

test("a name that no field has means all of them", () => {
  expect(fieldIn(CONFIDENCE, "total")).toMatchObject({ name: "total", words: { leaning: "of total" } });
  expect(fieldIn(CONFIDENCE, "nobody")).toMatchObject({ name: null, words: { leaning: "of all" } });
  expect(fieldIn(CONFIDENCE, "constructor").name).toBeNull();
  expect(fieldIn(CONFIDENCE, undefined).figures).toBe(CALIBRATION.pooled);
});

test("one goes from all fields to the worst, and from the last nowhere", () => {
  expect(neighbours(CALIBRATION, null)).toEqual({ after: "name" });
  expect(neighbours(CALIBRATION, "name")).toEqual({ before: null, after: "total" });
  expect(neighbours(CALIBRATION, "note")).toEqual({ before: "7" });
});

test("review is told for the share that was chosen", () => {
  expect(caughtAt(CALIBRATION.pooled, 0.3)).toBe(0.716);
  expect(reviewWords(CALIBRATION.pooled, 0.3)).toBe(
    "Review the 30% least confident values and you catch 71.6% of the errors (by chance 30%).",
  );
  expect(reviewWords(field("x", 0), 0.2)).toMatch(/no error to catch/);
});

describe("curves", () => {
  const points = [0.01, 0.3, 0.6, 1].map((share) => ({ confidence: 1 - share / 2, share, figure: share / 10 }));
  const one = field("x", 0.1, { review_curve: points, risk_curve: points });

  test("begin with nothing reviewed, and not with a handful accepted", () => {
    expect(reviewLine(one)[0]).toEqual([0, 0]);
    expect(riskLine(one).map(([share]) => share)).toEqual([0.3, 0.6, 1]);
    expect(reviewLine(field("x", 0))).toEqual([]);
  });

  test("have tables of points that are their own, each once", () => {
    expect(pointsNear(points, [0.25, 0.35, 0.9]).map((point) => point.share)).toEqual([0.3, 1]);
    expect(pointsNear([], [0.5])).toEqual([]);
  });

  test("have axes that end at round numbers", () => {
    expect([0.031, 0.4, 0.9, 0, 1].map(roundUp)).toEqual([0.04, 0.4, 1, 0.01, 1]);
  });
});

test("numbers of axes and columns are those that Python wrote", () => {
  expect([999, 1234, 56_789, 1_234_567].map(shortCount)).toEqual(["999", "1.2k", "57k", "1.2M"]);
  expect([tick(0.25, true), tick(0.0125, true), tick(0.5)]).toEqual(["25%", "1.25%", "0.5"]);
});

test("a file says what it shows, and what it does not hold", async () => {
  const answers: PageAnswers = { title: "t", confidence: CONFIDENCE };
  expect((await new FileData(answers).about()).shows).toBe("confidence");
  expect(await new FileData(answers).confidence()).toBe(CONFIDENCE);
  await expect(new FileData(answers).sweep()).rejects.toMatchObject({ code: "sweep.not_here" });
  await expect(new FileData({ title: "t" }).confidence()).rejects.toMatchObject({ code: "confidence.not_here" });
});

test("a label stands where the line is not", () => {
  const size = { level: 0.05, width: 0.2, height: 0.01 };
  const flat = (y: number): Point[] => [0, 0.5, 1].map((x) => [x, y]);
  expect(clearPlace(flat(0.02), size)).toEqual({ from: 0, isBelow: false });
  expect(clearPlace(flat(0.055), size)).toEqual({ from: 0, isBelow: true });
  const crossing: Point[] = [
    [0, 0.08],
    [0.4, 0.01],
    [1, 0.01],
  ];
  const { from, isBelow } = clearPlace(crossing, size);
  expect([isBelow, from > 0.2]).toEqual([false, true]);
});
