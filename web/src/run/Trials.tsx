import { createContext, useContext } from "react";

/** The documents of which there are several trials. */
export const Repeated = createContext<ReadonlySet<string>>(new Set());

interface Of {
  document: string;
  /** Undefined where nobody says which it is. */
  trial: number | undefined;
}

/** The trial that has to be named, since the id of the document alone does not tell. */
export function useNamedTrial({ document, trial }: Of): number | undefined {
  const isRepeated = useContext(Repeated).has(document);
  return isRepeated || (trial ?? 1) > 1 ? trial : undefined;
}

/** Names the trial behind the id of its document, where it has several. */
export function TrialName(of: Of) {
  const trial = useNamedTrial(of);
  return trial === undefined ? null : ` (trial ${trial})`;
}
