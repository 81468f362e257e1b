import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { type Place, readAddress, writeAddress } from "./address";

function listen(changed: () => void): () => void {
  window.addEventListener("hashchange", changed);
  return () => window.removeEventListener("hashchange", changed);
}

export function useAddress(tabs: readonly string[]): Place {
  const hash = useSyncExternalStore(listen, () => window.location.hash);
  return readAddress(hash, tabs);
}

/** Goes to a place; Back returns. */
export function goTo(tab: string, chosen: Record<string, string | undefined> = {}): void {
  window.location.hash = writeAddress(tab, chosen);
}

/** Says in the address where the page is, without a step of its own for Back. */
export function stayAt(tab: string, chosen: Record<string, string | undefined>): void {
  window.location.replace(writeAddress(tab, chosen));
}

/** Choices of one tab: what is chosen, and how to change some of it. */
export function useChoices(tab: string, chosen: Place["chosen"]) {
  const [draft, setDraft] = useState<Record<string, string | undefined>>({});
  const now = { ...chosen, ...draft };
  const choose = useCallback(
    (more: Record<string, string | undefined>) => goTo(tab, { ...chosen, ...more }),
    [tab, chosen],
  );
  // What is typed or dragged is seen at once and reaches the address when the hand rests.
  useEffect(() => {
    if (!Object.keys(draft).length) return;
    const timer = setTimeout(() => {
      stayAt(tab, { ...chosen, ...draft });
      setDraft({});
    }, 300);
    return () => clearTimeout(timer);
  }, [draft, tab, chosen]);
  return { now: now as Record<string, string | undefined>, choose, type: setDraft };
}
