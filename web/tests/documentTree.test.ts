import { expect, test } from "vitest";
import { isRow, pathName, stepName, steps } from "../src/data/paths";
import type { PageValue } from "../src/data/types";
import { documentTree } from "../src/state/documentTree";

function value(path: string | null, predicted: string | null, outcome: PageValue["outcome"] = "match"): PageValue {
  return { document: "a", field: "rows.sku", outcome, path, predicted_path: predicted, pair_score: 0.9 };
}

test("rows of a list stand by their numbers, with their partners, and those that were invented at the end", () => {
  const tree = documentTree([
    value("rows[10].sku", "rows[10].sku"),
    value(null, "rows[4].sku", "spurious"),
    value("rows[2].sku", "rows[0].sku", "mismatch"),
    value("total", "total"),
  ]);
  expect(tree.map((row) => `${" ".repeat(row.depth)}${row.label}`)).toEqual([
    ...["rows", " [2]", "  sku", " [10]", "  sku", " +[4]", "  sku", "total"],
  ]);
  expect(tree[1]).toMatchObject({ paired: "[0]", pairScore: 0.9, wrong: 1 });
  expect(tree[0]?.wrong).toBe(2);
  expect(tree[3]).not.toHaveProperty("paired");
});

test("a key without letters has words, alone and within a path", () => {
  expect(["\\0", "a\\.b", "\\\\0"].map(stepName)).toEqual(["(empty name)", "a.b", "\\0"]);
  expect(["\\0", "items[2].\\0", "\\0.\\0[1]", "a.b", "x\\\\0"].map(pathName)).toEqual([
    ...["(empty name)", "items[2].(empty name)", "(empty name).(empty name)[1]", "a.b", "x\\\\0"],
  ]);
});

test("a dot within a key divides nothing, and a key may look like a mark of the tree", () => {
  const tree = documentTree([value("a\\.b", "a\\.b"), value("a.b", "a.b"), value("+49", null, "missed")]);
  expect(tree.map((row) => `${" ".repeat(row.depth)}${stepName(row.label)}`)).toEqual(["a.b", "a", " b", "+49"]);
  expect(steps("x\\[1].rows[3].deep leaf")).toEqual(["x\\[1]", "rows", "[3]", "deep leaf"]);
  expect([isRow("+[3]"), isRow("+49"), isRow("\\[3]")]).toEqual([true, false, false]);
});
