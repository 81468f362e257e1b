import { expect, test } from "vitest";
import type { PageValue, Rule } from "../src/data/types";
import { quoted } from "../src/format/text";
import { noteOf } from "../src/run/Document";
import { stepIn } from "../src/run/Threshold";
import { because, differsLater, ruleOf, typeWords } from "../src/run/Why";

const VALUE: PageValue = { document: "d", field: "total", outcome: "mismatch", expected: "1", predicted: "2" };
const RULE: Rule = { path: "total", how: "number", threshold: 1, weight: 1, because: "inferred" };

test("a value counts as it does for its reason, or by its score", () => {
  expect(because({ ...VALUE, raw_score: 0 }, [RULE])).toBe("number: 0.000 < 1");
  expect(because({ ...VALUE, outcome: "match", raw_score: 0.9 }, [{ ...RULE, threshold: 0.8 }])).toBe(
    "number: 0.900 ≥ 0.8",
  );
  expect(because({ ...VALUE, outcome: "missed" }, [RULE])).toBe("expected, not predicted");
  expect(because({ ...VALUE, reason: "row rejected" }, [RULE])).toBe("row rejected");
});

test("the rule is that of the class of the value, where it has one", () => {
  const own = { ...RULE, class: "Invoice", how: "amount" };
  expect(ruleOf({ ...VALUE, class: "Invoice" }, [RULE, own])?.how).toBe("amount");
  expect(ruleOf({ ...VALUE, class: "Payslip" }, [own, RULE])?.how).toBe("number");
});

test("equal beginnings of values that are not equal differ further on", () => {
  const cut = { ...VALUE, expected: "aaa", predicted: "aaa", expected_length: 9 };
  expect(differsLater(cut)).toBe(true);
  expect(differsLater({ ...cut, outcome: "match" })).toBe(false);
  expect(differsLater({ ...cut, outcome: "match", accepted: "similar" })).toBe(true);
  expect(differsLater({ ...cut, predicted: "aab" })).toBe(false);
});

test("values that look the same say how their types differ", () => {
  const alike = (text: string, side: PageValue["text_side"]) =>
    typeWords({ ...VALUE, expected: text, predicted: text, text_side: side });
  expect(alike("112.0", "predicted")).toBe("text instead of a number");
  expect(alike("112.0", "expected")).toBe("a number instead of text");
  expect(["true", "[1]", "{}", "null"].map((text) => alike(text, "predicted").replace("text instead of ", ""))).toEqual(
    ["true or false", "a list", "an object", "null"],
  );
  expect(alike("112.0", null)).toBe("");
});

test("a reason that begins with what became of a document says it once", () => {
  const document = { document: "d", status: "no_prediction" };
  expect(noteOf({ ...document, reason: "no prediction; all is missed" })).toEqual({
    ...{ status: "no prediction", reason: "all is missed" },
  });
  expect(noteOf({ document: "d", status: "scored" })).toEqual({ status: "", reason: "" });
});

test("a step of a slider is a whole number from 0 to 100", () => {
  expect(["0", "85", "100"].map(stepIn)).toEqual([0, 85, 100]);
  expect(["", "x", "-1", "101", "1.5", undefined].map(stepIn)).toEqual(Array(6).fill(undefined));
});

test("a word of a command is quoted where a shell would read it otherwise", () => {
  expect(["inv-1.pdf", "a b", "it's"].map(quoted)).toEqual(["inv-1.pdf", "'a b'", "'it'\\''s'"]);
});
