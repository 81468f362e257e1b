import { expect, test } from "vitest";
import formats from "../../src/fieldwise/views/formats.json";
import { fixed, percent, rate, written } from "../src/format/numbers";
import { grade } from "../src/format/words";

test.each(formats as [string, unknown, string][])("%s of %j is %s, as Python writes it", (format, value, text) => {
  expect(written(format, value)).toBe(text);
});

test("what lies between two digits goes to the even one, as in Python", () => {
  expect([0.0625, 0.1875, 0.3125].map(rate)).toEqual(["0.062", "0.188", "0.312"]);
  expect([0.5, 1.5, 2.5, -0.5].map((value) => fixed(value, 0))).toEqual(["0", "2", "2", "-0"]);
  expect(percent(0.0625)).toBe("6.2%");
});

test("bands are below 0.5, to 0.8 and above", () => {
  expect([0.49, 0.5, 0.8, 0.81, null].map(grade)).toEqual(["poor", "fair", "fair", "good", "undefined"]);
});
