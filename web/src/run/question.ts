/** What an address of the list of errors asks for, and the command that lists all of it. */
import { readTrial } from "../data/documents";
import { pathOf } from "../data/paths";
import type { ValueQuestion } from "../data/types";
import { quoted } from "../format/text";
import { oneOf } from "../state/address";
import { chosenGroup } from "./GroupFilters";

export const FIRST = 50;
const ORDERS = ["worst", "path", "document"] as const;

export function questionOf(chosen: Record<string, string | undefined>): ValueQuestion {
  const { set, field, outcome, kind, document, section, find, order } = chosen;
  return {
    set: set === "accepted" ? "accepted" : "wrong",
    fields: one(field),
    outcomes: set === "accepted" || !outcome ? undefined : outcome.split(","),
    kinds: one(kind),
    documents: one(document),
    trial: readTrial(chosen.trial),
    sections: one(section),
    ...chosenGroup(chosen),
    find: find || undefined,
    order: oneOf(order, ORDERS) ?? "worst",
    first: FIRST,
  };
}

function one(name: string | undefined): string[] | undefined {
  return name ? [name] : undefined;
}

/** The command that lists all values which a question means, of all trials where it means one. */
export function commandOf(question: ValueQuestion): string {
  const { set, outcomes = ["wrong"], kinds = [], slices = [] } = question;
  const options = (name: string, values: readonly string[] = []) => values.map((value) => `--${name} ${quoted(value)}`);
  const isAccepted = set === "accepted";
  const words = [
    "fieldwise show RESULTS",
    ...(isAccepted ? [["--accepted", ...kinds].join(" ")] : options("outcome", outcomes)),
    ...options("field", question.fields?.map(pathOf)),
    ...(isAccepted ? [] : options("kind", kinds)),
    ...options("document", question.documents),
    ...options("section", question.sections),
    ...options("class", question.classes),
    ...options(
      "slice",
      slices.map(({ key, value }) => (value === null ? key : `${key}=${value}`)),
    ),
  ];
  return `${words.join(" ")} --limit 0`;
}
