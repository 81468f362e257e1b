import { expect, test } from "vitest";
import { commandOf } from "../src/classes/listing";
import { FileData } from "../src/data/file";
import { groupOf, readSlice, slicesOf, totalOfGroup, writeSlice } from "../src/data/groups";
import { confusions, drawn, level, MAX_DRAWN, readPlace } from "../src/data/matrix";
import type { ClassesPage, Confusion, Metrics, PageAnswers, PageValue } from "../src/data/types";
import { questionOf, commandOf as showCommand } from "../src/run/question";
import { pageRanges } from "../src/run/SectionFaults";
import { documentTree } from "../src/state/documentTree";
import { fieldRows } from "../src/state/fields";
import { ANSWERS, counts } from "./answers";

const MATRIX: Confusion = {
  labels: ["Invoice", "Payslip", "(no section)"],
  counts: [
    [5, 2, 1],
    [0, 4, 0],
    [0, 3, 0],
  ],
  has_missing: true,
};
const METRICS: Metrics = {
  ...(ANSWERS.run?.metrics as Metrics),
  classes: {
    Invoice: {
      fields: { total: counts(1, 2, 0, 0) },
      aggregate: counts(1, 2, 0, 0, { scope: "total" }),
      document_count: 2,
    },
    Payslip: { fields: { total: counts(0, 2, 0, 1), rows: counts(9, 9, 9, 9, { scope: "rows" }) } },
  },
  slices: {
    "a:b": { values: { "": { fields: {}, document_count: 1 }, "x:y": { fields: { total: counts(1, 0, 0, 0) } } } },
  },
  sections: {
    ...{ paired: 9, wrong_class: 2, lost: 1, extra: 3, confusion_matrix: MATRIX },
    classification_errors: [
      { doc_id: "a", section_id: "2", kind: "wrong_class", expected_class: "invoice", predicted_class: "Payslip" },
      { doc_id: "b", section_id: "9", kind: "extra", predicted_class: "Payslip" },
    ],
  },
};

function opened(more: Partial<NonNullable<PageAnswers["run"]>> = {}): FileData {
  const run = ANSWERS.run as NonNullable<PageAnswers["run"]>;
  return new FileData({ ...ANSWERS, run: { ...run, metrics: METRICS, ...more } });
}

test("a slice comes out of the address as it went in, whatever its key and value are", () => {
  for (const { slice } of slicesOf(METRICS)) expect(readSlice(writeSlice(slice))).toEqual(slice);
  const none = { key: "a:b", value: null };
  expect(readSlice(writeSlice(none))).toEqual(none);
  expect(readSlice("%E0%A4%A")).toBeUndefined();
});

test("a group is found by its own name only", () => {
  expect(groupOf(METRICS, { classes: ["Invoice"] })?.document_count).toBe(2);
  expect(groupOf(METRICS, { classes: ["constructor"] })).toBeNull();
  expect(groupOf(METRICS, { slices: [{ key: "a:b", value: "" }] })?.document_count).toBe(1);
  expect(groupOf(METRICS, { slices: [{ key: "a:b", value: null }] })).toBeNull();
});

test("where a group states its fields only, their values are added up, without rows of lists", () => {
  expect(totalOfGroup(groupOf(METRICS, { classes: ["Payslip"] }) ?? { fields: {} })).toMatchObject({
    tp: 0,
    fd: 2,
    fn: 1,
  });
});

test("values are listed by class and slice, and counted from the sums of the class", async () => {
  const rows: PageValue[] = [
    { document: "a", field: "total", outcome: "mismatch", class: "Invoice", slices: { "a:b": "x:y" } },
    { document: "b", field: "total", outcome: "mismatch", class: "Payslip" },
  ];
  const data = opened({ errors: rows });
  const ofClass = await data.values({ set: "wrong", classes: ["Invoice"], first: 9 });
  expect([ofClass.rows.map((row) => row.document), ofClass.total]).toEqual([["a"], 2]);
  const ofSlice = await data.values({ set: "wrong", slices: [{ key: "a:b", value: null }], first: 9 });
  expect(ofSlice.rows.map((row) => row.document)).toEqual(["b"]);
  const both = await data.values({
    set: "wrong",
    classes: ["Invoice"],
    slices: [{ key: "a:b", value: "x:y" }],
    first: 9,
  });
  expect([both.held, both.total]).toEqual([1, null]);
});

test("counts of others claim no number of values", async () => {
  expect((await opened({ counts_only: true }).values({ set: "wrong", first: 9 })).total).toBeNull();
});

test("weights of a class come before those of all documents", () => {
  const rule = { how: "", threshold: null, because: "" };
  const rules = [
    { ...rule, path: "total", weight: 2 },
    { ...rule, path: "total", weight: 5, class: "Invoice" },
  ];
  const lost = (name?: string) => fieldRows({ fields: { total: counts(0, 1, 0, 0) } }, rules, name)[0]?.lost;
  expect([lost(), lost("Invoice"), lost("Payslip")]).toEqual([2, 5, 2]);
});

test("a cell opens to its sections: right ones of documents, others from the classification errors", async () => {
  const documents = [
    {
      document: "a",
      sections: [
        { section: "1", class: "Invoice" },
        { section: "2", class: "Invoice", paired: false },
      ],
    },
  ];
  const data = opened({ documents });
  const right = await data.sections({ expected: "Invoice", predicted: "Invoice", first: 9 });
  expect([right.rows.map((row) => row.section), right.total]).toEqual([["1"], 5]);
  const wrong = await data.sections({ expected: "Invoice", predicted: "Payslip", first: 9 });
  expect([wrong.rows.map((row) => row.document), wrong.total]).toEqual([["a"], 2]);
  const extra = await data.sections({ expected: null, predicted: "Payslip", first: 9 });
  expect([extra.rows.map((row) => row.document), extra.total]).toEqual([["b"], 3]);
  expect((await data.sections({ expected: "Invoice", first: 9 })).total).toBe(3);
  expect((await data.sections({ first: 9 })).total).toBe(6);
});

test("the matrix draws the largest classes, and no row of what is missing where nothing is", () => {
  expect(drawn({ ...MATRIX, counts: [...MATRIX.counts.slice(0, 2), [0, 0, 0]] }).down).toEqual([0, 1]);
  const size = MAX_DRAWN + 5;
  const counts = Array.from({ length: size }, (_, i) => Array.from({ length: size }, (_, k) => (i === k ? i : 0)));
  const { down } = drawn({ labels: counts.map((_, k) => `c${k}`), counts, has_missing: false });
  expect([down.length, down[0], down.at(-1)]).toEqual([MAX_DRAWN, 5, size - 1]);
});

test("the stronger the share, the stronger the colour; confusions come by number", () => {
  expect([0.01, 0.02, 0.3, 0.8, 1].map(level)).toEqual([1, 2, 4, 6, 6]);
  expect(confusions(MATRIX).map((pair) => pair.n)).toEqual([3, 2, 1]);
  expect([readPlace("1", MATRIX), readPlace("3", MATRIX), readPlace("", MATRIX), readPlace("x", MATRIX)]).toEqual([
    ...[1, undefined, undefined, undefined],
  ]);
});

test("rows of labels are found by their cell, and jq lists all of them", async () => {
  const rate = { value: null };
  const row = {
    type: "string",
    precision: rate,
    recall: rate,
    f1: null,
    support: 0,
    predicted: 0,
    tp: 0,
    fp: 0,
    fn: 0,
    tn: 0,
  };
  const page = {
    input: "it's.jsonl",
    classification: {
      metrics: {},
      about: { golden_key: "event", predicted_key: 'to"ol', judge: "labels", errors: {}, unusable: [] },
      report: {
        rows: { used: 15, total: 15, skipped: {}, missing: {}, disagree: 0 },
        accuracy: { value: 9 / 15 },
        classes: [
          { ...row, label: "Invoice", name: "Invoice" },
          { ...row, label: 7, name: "7" },
        ],
        confusion_matrix: MATRIX,
      },
    },
    rows: [
      { line: 3, expected: 0, predicted: 1, is_right: false, metadata: "{}" },
      { line: 4, expected: 0, predicted: 0, is_right: true },
    ],
  } as unknown as ClassesPage;
  const data = new FileData({ title: "", classes: page });
  expect((await data.about()).shows).toBe("classes");
  const found = await data.labelRows({ expected: 0, predicted: 1, first: 9 });
  expect([found.rows.map((held) => held.line), found.total]).toEqual([[3], 2]);
  expect((await data.labelRows({ right: false, first: 9 })).total).toBe(6);
  const scores = page.classification.report as NonNullable<ClassesPage["classification"]["report"]>;
  expect(commandOf(page, scores, { expected: 1, predicted: 2, first: 1 })).toBe(
    `jq -c 'select(.golden["event"] == 7 and .predicted["to\\"ol"] == null)' 'it'\\''s.jsonl'`,
  );
});

test("the command that lists values names section, class and slice", () => {
  const question = questionOf({ class: "Tax return", section: "2", slice: "vendor:A%20B" });
  expect(showCommand(question)).toBe(
    "fieldwise show RESULTS --outcome wrong --section 2 --class 'Tax return' --slice 'vendor=A B' --limit 0",
  );
});

test("sections of a document stand apart, by their numbers, and a wrong class under both", () => {
  const value = (section: string, name: string): PageValue => ({
    ...{ document: "a", field: "total", path: "total", outcome: "missed", section, class: name },
  });
  const tree = documentTree([value("10", "B"), value("2", "A"), value("2", "B")]);
  expect(
    tree.map((row) => (row.section ? `${row.section.id} ${row.section.class}` : " ".repeat(row.depth) + row.label)),
  ).toEqual(["2 A", " total", "2 B", " total", "10 B", " total"]);
  expect(new Set(tree.map((row) => row.key)).size).toBe(tree.length);
});

test("pages are written as ranges", () => {
  expect([pageRanges([0, 1, 2, 5, 4]), pageRanges([3]), pageRanges(null)]).toEqual(["0–2, 5, 4", "3", ""]);
});
