/** What an address of the list of errors asks for, and the command that lists all of it. */
import { readTrial } from "../data/documents";
import type { ValueQuestion } from "../data/interface";
import { pathOf } from "../data/paths";
import { quoted } from "../format/text";
import { oneOf } from "../state/address";
import { chosenGroup } from "./GroupFilters";

export const FIRST = 50;
const ORDERS = ["worst", "path", "document"] as const;

export function questionOf(chosen: Record<string, string | undefined>): ValueQuestion {
  const { set, field, outcome, kind, document, section, find, order } = chosen;
  return {
    set: set === "accepted" ? "accepted" : "wrong",
    field: field || undefined,
    outcomes: set === "accepted" || !outcome ? undefined : outcome.split(","),
    kind: kind || undefined,
    document: document || undefined,
    trial: readTrial(chosen.trial),
    section: section || undefined,
    ...chosenGroup(chosen),
    find: find || undefined,
    order: oneOf(order, ORDERS) ?? "worst",
    first: FIRST,
  };
}

/** The command that lists all values which a question means, of all trials where it means one. */
export function commandOf(question: ValueQuestion): string {
  const { set, field, outcomes, kind, document, section, slice } = question;
  const words = ["fieldwise show RESULTS"];
  if (set === "accepted") words.push(kind ? `--accepted ${kind}` : "--accepted");
  else words.push(...(outcomes ?? ["wrong"]).map((outcome) => `--outcome ${outcome}`));
  if (field) words.push(`--field ${quoted(pathOf(field))}`);
  if (kind && set === "wrong") words.push(`--kind ${kind}`);
  if (document) words.push(`--document ${quoted(document)}`);
  if (section) words.push(`--section ${quoted(section)}`);
  if (question.class) words.push(`--class ${quoted(question.class)}`);
  if (slice) words.push(`--slice ${quoted(slice.value === null ? slice.key : `${slice.key}=${slice.value}`)}`);
  return `${words.join(" ")} --limit 0`;
}
