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

/** What was shown of the lists of this visit, so that Back finds as much of them. */
const shown = new Map<string, Page<unknown>[]>();

/** Asks for a list page by page, from one cursor to the next; the key names the list and the question. */
export function usePages<Row>(key: string, ask: (after?: string) => Promise<Page<Row>>): Answer<Listing<Row>> {
  const [later, setLater] = useState<{ key: string; pages: Page<Row>[] }>({ key, pages: shownOf(key) });
  const first = useAnswer(key, () => ask());
  if (first.state !== "there") return first;
  const pages = [first.value, ...(later.key === key ? later.pages : shownOf<Row>(key))];
  const next = pages.at(-1)?.next ?? null;
  const go = async (after: string) => {
    const more = [...pages.slice(1), await ask(after)];
    shown.set(key, more);
    setLater({ key, pages: more });
  };
  const rows = pages.flatMap((page) => page.rows);
  return { state: "there", value: { ...first.value, rows, more: next === null ? undefined : () => void go(next) } };
}

function shownOf<Row>(key: string): Page<Row>[] {
  return (shown.get(key) ?? []) as Page<Row>[];
}
