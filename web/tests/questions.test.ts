/** What the file answers is what is recorded, to which Python is held as well; `python -m tests.runs.questions` records. */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { FileData } from "../src/data/file";
import type { Page } from "../src/data/interface";
import type { PageAnswers } from "../src/data/types";

// biome-ignore lint/suspicious/noExplicitAny: questions as they were recorded
type Json = any;

interface Run {
  name: string;
  page: PageAnswers;
  asked: { question: Json; answer?: Json }[];
}

const RECORDED = fileURLToPath(new URL("../../tests/recorded/questions.json.gz", import.meta.url));
const recorded: { runs: Run[] } = JSON.parse(gunzipSync(readFileSync(RECORDED)).toString());
/** The file for what is answered now, where it is to be recorded. */
const recording = process.env.FIELDWISE_RECORD;

/** By what a row is known. */
function keyOf(row: Json): Json {
  return [
    row.document,
    row.trial ?? 1,
    ...["section", "class", "path", "predicted_path", "field", "outcome"].map((k) => row[k]),
  ].map((part) => part ?? null);
}

/** All pages of a list, from one cursor to the next. */
async function listed(ask: (after?: string) => Promise<Page<Json>>, row: (of: Json) => Json): Promise<Json> {
  const pages: Json[] = [];
  let answer = await ask();
  const { held, total } = answer;
  for (;;) {
    pages.push(answer.rows.map(row));
    if (answer.next === null) return { pages, held, total };
    answer = await ask(answer.next);
  }
}

async function answered(data: FileData, { ask, ...question }: Json): Promise<Json> {
  if (ask === "values") return listed((after) => data.values({ ...question, after }), keyOf);
  if (ask === "documents") {
    return listed(
      (after) => data.documents({ ...question, after }),
      (row) => [row.document, row.trial ?? 1],
    );
  }
  if (ask === "sections") {
    return listed(
      (after) => data.sections({ ...question, after }),
      ({ document, section, trial, error }) => [document, section, trial ?? null, error?.kind ?? null],
    );
  }
  const { document, values, previous, next } = await data.document(question);
  return { document: [document.document, document.trial ?? 1], values: values?.map(keyOf) ?? null, previous, next };
}

describe.each(recorded.runs)("a run of $name", ({ page, asked }) => {
  const data = new FileData(page);
  test("is answered as recorded", async () => {
    for (const each of asked) {
      const answer = await answered(data, each.question);
      if (recording) each.answer = answer;
      else expect(answer, JSON.stringify(each.question)).toEqual(each.answer);
    }
    const answers = recorded.runs.map((run) => run.asked.map((each) => each.answer));
    if (recording) writeFileSync(recording, JSON.stringify(answers));
  });
});
