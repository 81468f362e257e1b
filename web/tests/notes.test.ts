import { expect, test } from "vitest";
import { onThePage } from "../src/format/words";

test("notes speak of what a page and the next evaluation can do", () => {
  const listed = "fieldwise show, or errors(field, outcome='match') in Python, lists them";
  expect(onThePage(`4 matches are of values that are not identical; ${listed}`)).toBe(
    "4 matches are of values that are not identical; Errors lists them, as accepted",
  );
  expect(onThePage("which no prediction has; predicted_at='a.b' compares what is there.")).toBe(
    "which no prediction has; an evaluation with --predicted-at 'a.b' compares what is there.",
  );
  expect(onThePage("nothing to change")).toBe("nothing to change");
});
