import { expect, test } from "vitest";
import { asTree, fieldRows, findFields, isSeen, type Order, sortFields } from "../src/state/fields";
import { ANSWERS, counts } from "./answers";

const metrics = ANSWERS.run?.metrics as NonNullable<typeof ANSWERS.run>["metrics"];
const rows = fieldRows(metrics, ANSWERS.run?.rules ?? []);
const byCost: Order = (some) => sortFields(some, "lost", true);
const paths = (found: { path: string }[]) => found.map((row) => row.path);

test("lost points are the wrong values times the weight; rows of a list lose none of their own", () => {
  expect(Object.fromEntries(rows.map((row) => [row.path, row.lost]))).toEqual({
    ...{ total: 8, "rows.sku": 1, note: 1, rows: 0, never: 0 },
  });
});

test("the costliest field comes first, and F1 ascending is the other order", () => {
  const seen = rows.filter(isSeen);
  expect(paths(sortFields(seen, "lost", true))).toEqual(["total", "note", "rows.sku", "rows"]);
  expect(paths(sortFields(seen, "strict_f1", false))).toEqual(["note", "total", "rows.sku", "rows"]);
});

test("what is undefined comes last in either direction", () => {
  for (const isDown of [true, false]) expect(paths(sortFields(rows, "strict_f1", isDown)).at(-1)).toBe("never");
});

test("a parent has the sum of its leaves, and the rows of a list stand below it", () => {
  const more = { ...metrics, fields: { ...metrics.fields, "rows.price": counts(1, 2, 0, 0) } };
  const tree = asTree(fieldRows(more, []).filter(isSeen), new Set(), byCost);
  const parent = tree.find((row) => row.inside > 0);
  expect(parent).toMatchObject({ path: "rows", inside: 2, values: 6, lost: 3 });
  expect(parent?.metrics).toMatchObject({ tp: 3, fd: 2, fn: 1 });
  expect(parent?.metrics.rates.strict_f1.value).toBeCloseTo(6 / 11);
  expect(tree.filter((row) => !row.depth).map((row) => row.path)).toEqual(["total", "rows", "note"]);
  expect(tree.filter((row) => row.depth === 1).map((row) => row.path)).toEqual(["rows", "rows.price", "rows.sku"]);
  expect(asTree(fieldRows(more, []).filter(isSeen), new Set(["rows"]), byCost).filter((row) => row.depth)).toEqual([]);
});

test("fields are found by parts of their path", () => {
  expect(paths(findFields(rows, "ROW sk"))).toEqual(["rows.sku"]);
});

test("a dot within a key makes no parent", () => {
  const dotted = fieldRows({ fields: { "a\\.b": counts(1, 2, 0, 0), "a.c": counts(1, 1, 0, 0) } }, []);
  const tree = asTree(dotted, new Set(), byCost);
  expect(tree.map(({ label, inside, depth }) => [label, inside, depth])).toEqual([
    ["a.b", 0, 0],
    ["a", 1, 0],
    ["c", 0, 1],
  ]);
});

test("the rows of a list of lists, and values in place of an object, stand beside the row of their path", () => {
  const beside = fieldRows(
    {
      fields: {
        grid: counts(5, 1, 0, 0),
        "grid[rows]": { ...counts(2, 0, 0, 0), scope: "rows" },
        vendor: { ...counts(9, 0, 0, 0), scope: "object" },
        "vendor[values]": counts(0, 0, 2, 0),
        "vendor.name": counts(9, 0, 0, 0),
        "a\\[rows]": counts(1, 0, 0, 0),
      },
    },
    [],
  );
  expect(beside.map(({ path, isOther }) => [path, isOther])).toEqual([
    ["grid", false],
    ["grid", false],
    ["vendor", false],
    ["vendor", true],
    ["vendor.name", false],
    ["a\\[rows]", false],
  ]);
  const tree = asTree(beside, new Set(), byCost);
  expect(tree.map(({ path, metrics: { scope }, depth }) => [path, scope ?? "values", depth])).toContainEqual([
    ...["grid", "rows", 1],
  ]);
  expect(
    tree.filter(({ path }) => path.startsWith("vendor")).map(({ path, inside, depth }) => [path, inside, depth]),
  ).toEqual([
    ["vendor", 2, 0],
    ["vendor", 0, 1],
    ["vendor.name", 0, 1],
  ]);
});
