import { expect, test } from "vitest";
import { readAddress, writeAddress } from "../src/state/address";

const TABS = ["summary", "fields", "errors"];

test("an address reproduces what is chosen, whatever its letters are", () => {
  const chosen = { field: "a&b=c #?/é\u202e", outcome: "mismatch,spurious" };
  expect(readAddress(writeAddress("errors", chosen), TABS)).toEqual({ tab: "errors", chosen });
});

test("the same choice has one address", () => {
  expect(writeAddress("errors", { outcome: "missed", field: "total", kind: "" })).toBe(
    writeAddress("errors", { field: "total", outcome: "missed", kind: undefined }),
  );
  expect(writeAddress("summary")).toBe("#summary");
});

test("an address of nowhere is the first tab", () => {
  expect(readAddress("", TABS)).toEqual({ tab: "summary", chosen: {} });
  expect(readAddress("#nowhere?x=1", TABS).tab).toBe("summary");
});
