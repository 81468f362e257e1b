import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const SOURCES = new URL("../src/", import.meta.url);

test("a component is read at once: it has fewer than 150 lines", () => {
  const names = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".tsx"));
  const long = names.filter((name) => readFileSync(new URL(name, SOURCES), "utf8").split("\n").length > 150);
  expect(names.length).toBeGreaterThan(50);
  expect(long).toEqual([]);
});
