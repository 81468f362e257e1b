import { expect, test } from "vitest";
import { differences, type Part } from "../src/format/difference";
import { pieces, plain } from "../src/format/text";

const joined = (parts: Part[]) => parts.map((part) => part.text).join("");
const marked = (parts: Part[]) => parts.map((part) => (part.differs ? `[${part.text}]` : part.text)).join("");

test("what differs between similar values is marked, and nothing is lost", () => {
  const found = differences("INV-001 Müller", "INV-007 Muller");
  expect(found?.map(marked)).toEqual(["INV-00[1] M[ü]ller", "INV-00[7] M[u]ller"]);
  expect(found?.map(joined)).toEqual(["INV-001 Müller", "INV-007 Muller"]);
  expect(differences("Hammer drill", "Hammer d")?.map(marked)).toEqual(["Hammer d[rill]", "Hammer d"]);
});

test("letters with accents and joined emoji are one", () => {
  expect(differences("abe\u0301", "abe")?.map(marked)).toEqual(["ab[e\u0301]", "ab[e]"]);
  expect(differences("ab👩‍👧", "ab👩")?.map(marked)).toEqual(["ab[👩‍👧]", "ab[👩]"]);
});

test("nothing is marked where it would not help", () => {
  expect(differences("yes", "INV-001")).toBeNull();
  expect(differences("same", "same")).toBeNull();
  expect(differences("x".repeat(501), "x".repeat(500))).toBeNull();
});

test("characters that nobody would see have names", () => {
  expect(plain("a\u0000b\u202ec\u00a0d\ud83de👍")).toBe("a[NUL]b[RLO]c[NBSP]d[U+D83D]e👍");
  expect(pieces("two\nlines\t")).toEqual([{ text: "two\nlines\t" }]);
});
