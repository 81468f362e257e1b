import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
// @ts-expect-error a script without types
import { TYPES, typesText } from "../tools/types.mjs";

test("the committed types are those of the schema", async () => {
  expect(await readFile(TYPES, "utf-8")).toBe(await typesText());
});
