import { useEffect, useState } from "react";
import { type Page, StudioError } from "../data/interface";

export type Answer<T> = { state: "waiting" } | { state: "failed"; error: StudioError } | { state: "there"; value: T };

function asError(error: unknown): StudioError {
  return error instanceof StudioError ? error : new StudioError("page.defect", String(error));
}

/** Asks when the key of the question changes. */
export function useAnswer<T>(key: string, ask: () => Promise<T>): Answer<T> {
  const [answer, setAnswer] = useState<Answer<T> & { key?: string }>({ state: "waiting" });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the question
  useEffect(() => {
    let isWanted = true;
    ask().then(
      (value) => isWanted && setAnswer({ state: "there", value, key }),
      (error) => isWanted && setAnswer({ state: "failed", error: asError(error), key }),
    );
    return () => {
      isWanted = false;
    };
  }, [key]);
  return answer;
}

export interface Listing<Row> extends Omit<Page<Row>, "next"> {
  /** Asks for more; undefined at the end. */
  more?: (() => void) | undefined;
}

/** Asks for a list page by page, from one cursor to the next. */
export function usePages<Row>(key: string, ask: (after?: string) => Promise<Page<Row>>): Answer<Listing<Row>> {
  const [later, setLater] = useState<{ key: string; pages: Page<Row>[] }>({ key, pages: [] });
  const first = useAnswer(key, () => ask());
  if (first.state !== "there") return first;
  const pages = [first.value, ...(later.key === key ? later.pages : [])];
  const next = pages.at(-1)?.next ?? null;
  const go = (after: string) => ask(after).then((page) => setLater({ key, pages: [...pages.slice(1), page] }));
  const rows = pages.flatMap((page) => page.rows);
  return { state: "there", value: { ...first.value, rows, more: next === null ? undefined : () => void go(next) } };
}
