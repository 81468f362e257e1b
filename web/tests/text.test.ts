import { expect, test } from "vitest";
import { differences, type Part } from "../src/format/difference";
import { pieces, plain } from "../src/format/text";

const joined = (parts: Part[]) => parts.map((part) => part.text).join("");
const marked = (parts: Part[]) => parts.map((part) => (part.differs ? `[${part.text}]` : part.text)).join("");

function both(expected: string, predicted: string, write = marked): string[] | undefined {
  const found = differences(expected, predicted);
  return found ? [write(found.expected), write(found.predicted)] : undefined;
}

test("what differs between similar values is marked, and nothing is lost", () => {
  expect(both("INV-001 Müller", "INV-007 Muller")).toEqual(["INV-00[1] M[ü]ller", "INV-00[7] M[u]ller"]);
  expect(both("INV-001 Müller", "INV-007 Muller", joined)).toEqual(["INV-001 Müller", "INV-007 Muller"]);
  expect(both("Hammer drill", "Hammer d")).toEqual(["Hammer d[rill]", "Hammer d"]);
});

test("letters with accents and joined emoji are one", () => {
  expect(both("abe\u0301", "abe")).toEqual(["ab[e\u0301]", "ab[e]"]);
  expect(both("ab👩‍👧", "ab👩")).toEqual(["ab[👩‍👧]", "ab[👩]"]);
});

test("nothing is marked where it would not help", () => {
  expect(differences("yes", "INV-001")).toBeNull();
  expect(differences("same", "same")).toBeNull();
  expect(differences("xy".repeat(501), "ab".repeat(500))).toBeNull();
});

test("a difference is marked however long both texts are", () => {
  const begin = "one sentence after the other. ".repeat(30);
  expect(both(`${begin}the end`, `${begin}the eXX`)).toEqual([`${begin}the e[nd]`, `${begin}the e[XX]`]);
  expect(both(`${begin}a${begin}`, `${begin}${begin}`)).toEqual([`${begin}[a]${begin}`, `${begin}${begin}`]);
  const [ours, theirs] = ["ab".repeat(400), "xy".repeat(400)];
  expect(both(`${begin}${ours}.`, `${begin}${theirs}.`)).toEqual([`${begin}[${ours}].`, `${begin}[${theirs}].`]);
});

test("a fold begins shortly before the first difference, in its line", () => {
  const startOf = (begin: string) => differences(`${begin}the one value`, `${begin}the two value`)?.start;
  expect(startOf("near: ")).toBe(0);
  const long = "far ".repeat(50);
  expect(startOf(long)).toBe(long.length + 4 - 25);
  expect(startOf("a\nb\nc ")).toBe(4);
  expect(startOf("👩‍👧".repeat(60))).toBe("👩‍👧".length * 39);
});

test("characters that nobody would see have names", () => {
  expect(plain("a\u0000b\u202ec\u00a0d\ud83de👍")).toBe("a[NUL]b[RLO]c[NBSP]d[U+D83D]e👍");
  expect(pieces("two\nlines\t")).toEqual([{ text: "two\nlines\t" }]);
});
