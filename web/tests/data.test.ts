import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { FileData } from "../src/data/file";
import { type StudioData, StudioError } from "../src/data/interface";
import { unpack } from "../src/data/load";
import { ANSWERS } from "./answers";

/** Whoever answers the page passes this: the file today, a server beside it. */
const IMPLEMENTATIONS: [string, () => StudioData][] = [["file", () => new FileData(ANSWERS)]];

describe.each(IMPLEMENTATIONS)("data from a %s", (_name, open) => {
  test("says what it shows", async () => {
    expect(await open().about()).toMatchObject({ title: "Three invoices", shows: "run" });
  });

  test("lists every value once, however many are asked for at a time", async () => {
    const found: string[] = [];
    let after: string | undefined;
    do {
      const page = await open().values({ set: "wrong", first: 3, after });
      found.push(...page.rows.map((row) => `${row.document} ${row.path}`));
      after = page.next ?? undefined;
    } while (after !== undefined);
    expect(found).toEqual(["a total", "b total", "b note", "a rows[0].sku"]);
  });

  test("lists values of the field that loses most first, or by path or document", async () => {
    const listed = async (order?: "worst" | "path" | "document") => {
      const { rows } = await open().values({ set: "wrong", first: 9, order });
      return rows.map((row) => `${row.document} ${row.path}`);
    };
    expect(await listed()).toEqual(["a total", "b total", "b note", "a rows[0].sku"]);
    expect(await listed("worst")).toEqual(await listed());
    expect(await listed("path")).toEqual(["b note", "a rows[0].sku", "a total", "b total"]);
    expect(await listed("document")).toEqual(["a total", "a rows[0].sku", "b total", "b note"]);
  });

  test("counts what the run has, not what is listed", async () => {
    const page = await open().values({ set: "wrong", fields: ["total"], outcomes: ["mismatch"], first: 10 });
    expect([page.held, page.total]).toEqual([2, 4]);
    expect((await open().values({ set: "wrong", kinds: ["ocr"], first: 1 })).total).toBe(4);
    expect((await open().values({ set: "accepted", first: 1 })).total).toBe(1);
    expect((await open().values({ set: "wrong", documents: ["a"], first: 9 })).total).toBe(2);
  });

  test("takes an object or a list for the fields inside", async () => {
    const page = await open().values({ set: "wrong", fields: ["rows"], first: 10 });
    expect(page.rows.map((row) => row.field)).toEqual(["rows.sku"]);
  });

  test("opens a document, between its neighbours that have something wrong", async () => {
    const answer = await open().document({ document: "a", trial: 1 });
    expect(answer.values).toHaveLength(3);
    expect([answer.previous, answer.next]).toEqual([null, { document: "b", trial: 1 }]);
    expect((await open().document({ document: "b", trial: 1 })).values).toBeNull();
  });

  test("says what to do about a document that it does not hold", async () => {
    const asked = open().document({ document: "nobody", trial: 1 });
    await expect(asked).rejects.toThrow(StudioError);
    await expect(asked).rejects.toMatchObject({ code: "document.not_here" });
  });

  test("finds documents by a part of their id", async () => {
    const page = await open().documents({ find: "B", first: 10 });
    expect(page.rows.map((row) => row.document)).toEqual(["b"]);
  });

  test("refuses a place that no list has", async () => {
    await expect(open().values({ set: "wrong", first: 1, after: "elsewhere" })).rejects.toMatchObject({
      code: "cursor.unknown",
    });
  });
});

test("what was packed comes out, and what is damaged says so", async () => {
  const packed = gzipSync(JSON.stringify(ANSWERS)).toString("base64");
  expect(await unpack(packed)).toEqual(ANSWERS);
  await expect(unpack("AAAA")).rejects.toMatchObject({ code: "page.damaged" });
});
