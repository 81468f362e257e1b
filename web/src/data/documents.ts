/** What became of documents: which were compared, and which have several trials. */
import statuses from "../../../src/fieldwise/results/statuses.json";
import { own } from "./own";
import type { Metrics, PageDocument, RunPage } from "./types";

/** Whether a document counts: one without a usable prediction does, with every value missed. */
export function isCompared({ status }: Pick<PageDocument, "status">): boolean {
  return !status || own<{ fate: string }>(statuses, status)?.fate === "counted";
}

/** How many documents are listed and count nowhere. */
export function uncomparedCount({ documents = {} }: Pick<Metrics, "documents">): number {
  return Object.entries(documents).reduce((sum, [status, n]) => sum + (isCompared({ status }) ? 0 : n), 0);
}

/** Whether some document has several trials, each of which is listed. */
export function hasTrials({ trial_count: trials, document_count: documents }: Metrics): boolean {
  return (trials ?? 0) > documents;
}

/** Documents of which there are several trials, as far as the file names them. */
export function repeatedIn({ documents = [], errors = [], accepted = [] }: RunPage): ReadonlySet<string> {
  const later = [documents, errors, accepted].flatMap((rows) => rows.filter((row) => (row.trial ?? 1) > 1));
  return new Set(later.map((row) => row.document));
}

/** Reads the number of a trial from the address; undefined for anything else. */
export function readTrial(text: string | undefined): number | undefined {
  return text && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}
