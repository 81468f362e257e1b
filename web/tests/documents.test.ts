import { expect, test } from "vitest";
import { isCompared, readTrial, repeatedIn, uncomparedCount } from "../src/data/documents";
import { FileData } from "../src/data/file";
import { byDocument } from "../src/data/order";
import type { PageAnswers } from "../src/data/types";
import { remarkOf } from "../src/run/Documents";
import { ANSWERS, value } from "./answers";

const { metrics } = ANSWERS.run as NonNullable<PageAnswers["run"]>;
const TRIALS = new FileData({
  title: "Trials",
  run: {
    metrics: { ...metrics, document_count: 2, trial_count: 3 },
    documents: [
      { document: "a", trial: 2, fd: 2 },
      { document: "a", fd: 1 },
      { document: "b", fn: 1 },
    ],
    document_total: 3,
    errors: [
      value("a", "total", "mismatch"),
      value("a", "total", "mismatch", { trial: 2 }),
      value("a", "note", "mismatch", { trial: 2 }),
      value("b", "total", "missed"),
    ],
  },
});

test("the values of a trial are those of this trial only", async () => {
  const of = async (trial?: number) => {
    const { held, total, rows } = await TRIALS.values({ set: "wrong", documents: ["a"], trial, first: 9 });
    return [held, total, ...new Set(rows.map((row) => row.trial ?? 1))];
  };
  expect(await of(1)).toEqual([1, 1, 1]);
  expect(await of(2)).toEqual([2, 2, 2]);
  expect(await of()).toEqual([3, 3, 1, 2]);
});

test("documents with several trials are known, and only those", async () => {
  expect([...(await TRIALS.summary()).repeated]).toEqual(["a"]);
  expect(repeatedIn({ metrics }).size).toBe(0);
});

test("a trial in the address is a number from 1 on", () => {
  expect(["1", "12", "0", "-1", "x", "1.5", "", undefined].map(readTrial)).toEqual([
    ...[1, 12, undefined, undefined, undefined, undefined, undefined, undefined],
  ]);
});

test("a document without a usable prediction counts, and one that cannot be compared does not", () => {
  expect(["no_prediction", "scored", undefined].map((status) => isCompared({ status }))).toEqual([true, true, true]);
  expect(["unreadable_expected", "no_expected"].map((status) => isCompared({ status }))).toEqual([false, false]);
  expect(uncomparedCount({ documents: { scored: 9, failed: 2, no_expected: 1 } })).toBe(3);
});

test("documents are ordered by the numbers in their ids, then by trial", () => {
  const rows = ["d10", "d9", "d1"].flatMap((document) => [2, undefined].map((trial) => ({ document, trial })));
  expect(rows.toSorted(byDocument).map((row) => `${row.document} ${row.trial ?? 1}`)).toEqual([
    ...["d1 1", "d1 2", "d9 1", "d9 2", "d10 1", "d10 2"],
  ]);
});

test("a document without a score is neither the worst nor the best", async () => {
  const documents = [{ document: "low", score: 0.1 }, { document: "high", score: 0.9 }, { document: "none" }];
  const data = new FileData({ title: "", run: { metrics, documents } });
  const listed = async (order: "worst" | "best") =>
    (await data.documents({ order, first: 9 })).rows.map((row) => row.document);
  expect(await listed("worst")).toEqual(["low", "high", "none"]);
  expect(await listed("best")).toEqual(["high", "low", "none"]);
});

test("a list of documents says what it lists", () => {
  const of = (document_count: number, trial_count: number, failed = 0) =>
    remarkOf({ ...metrics, document_count, trial_count, documents: { scored: trial_count, failed } });
  expect(of(30, 30)).toBe("");
  expect(of(30, 30, 2)).toBe(", 2 of them not compared");
  expect(of(30, 90)).toBe(" of 30 documents");
  expect(of(30, 90, 2)).toBe(": 90 of 30 documents, 2 not compared");
});
