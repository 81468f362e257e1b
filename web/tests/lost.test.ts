import { expect, test } from "vitest";
import { orderValues } from "../src/data/lost";
import type { Metrics, PageValue } from "../src/data/types";
import { ANSWERS, counts } from "./answers";

const run = ANSWERS.run as NonNullable<typeof ANSWERS.run>;

function value(field: string, more: Partial<PageValue> = {}): PageValue {
  return { document: "a", field, path: field, predicted_path: field, outcome: "mismatch", ...more };
}

test("a weight makes the errors of a field worse than as many of another", () => {
  const metrics: Metrics = { ...run.metrics, fields: { light: counts(0, 3, 0, 0), heavy: counts(0, 2, 0, 0) } };
  const rows = [value("light"), value("heavy")];
  const rules = [{ path: "heavy", how: "", threshold: 1, weight: 2, because: "" }];
  const fields = (of: typeof rules) =>
    orderValues(rows, { set: "wrong", first: 9 }, { metrics, rules: of }).map((row) => row.field);
  expect(fields(rules)).toEqual(["heavy", "light"]);
  expect(fields([])).toEqual(["light", "heavy"]);
});

test("a class has its own worst field", () => {
  const metrics: Metrics = {
    ...run.metrics,
    fields: { one: counts(0, 9, 0, 0), other: counts(0, 2, 0, 0) },
    classes: { Invoice: { fields: { one: counts(0, 1, 0, 0), other: counts(0, 2, 0, 0) } } },
  };
  const fields = (name?: string) =>
    orderValues(
      [value("one"), value("other")],
      { set: "wrong", first: 9, classes: name ? [name] : [] },
      { metrics },
    ).map((row) => row.field);
  expect(fields()).toEqual(["one", "other"]);
  expect(fields("Invoice")).toEqual(["other", "one"]);
});

test("of accepted values those come first that are least alike", () => {
  const rows = [value("a"), value("b", { raw_score: 0.9 }), value("c", { raw_score: 0.8 })];
  const found = orderValues(rows, { set: "accepted", first: 9 }, run);
  expect(found.map((row) => row.field)).toEqual(["c", "b", "a"]);
});

test("rows of a path are ordered by their numbers", () => {
  const rows = ["rows[10].sku", "rows[9].sku"].map((path) => value("rows.sku", { path }));
  const found = orderValues(rows, { set: "wrong", first: 9, order: "path" }, run);
  expect(found.map((row) => row.path)).toEqual(["rows[9].sku", "rows[10].sku"]);
});
