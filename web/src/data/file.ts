/** Answers that are inside the page. */
import { quoted } from "../format/text";
import { repeatedIn } from "./documents";
import { type About, type Comparison, type Page, type StudioData, StudioError, type Summary } from "./interface";
import { foundRows, rowTotal, sectionsOf, sectionTotal } from "./labels";
import { orderValues } from "./lost";
import { byDocument } from "./order";
import { documentTotal, isAny, isOfDocument, isOfField, isOfGroup, totalOf } from "./totals";
import type {
  ClassesPage,
  ConfidencePage,
  DocumentAnswer,
  DocumentKey,
  DocumentPage,
  DocumentQuestion,
  LabelPage,
  LabelQuestion,
  PageAnswers,
  PageDocument,
  PageValue,
  RunPage,
  SectionPage,
  SectionQuestion,
  SweepPage,
  ThresholdCurve,
  ValuePage,
  ValueQuestion,
} from "./types";

const FIRST = 50;

export class FileData implements StudioData {
  readonly #answers: PageAnswers;

  constructor(answers: PageAnswers) {
    this.#answers = answers;
  }

  async about(): Promise<About> {
    const { title, facts } = this.#answers;
    return { title, facts: facts ?? {}, shows: shownIn(this.#answers) };
  }

  async summary(): Promise<Summary> {
    const run = this.#run();
    return {
      metrics: run.metrics,
      rules: run.rules ?? [],
      ruleNotes: run.rule_notes ?? [],
      notes: this.#answers.notes ?? [],
      hasRows: run.has_rows ?? false,
      hasConfidences: !!this.#answers.confidence,
      countsOnly: run.counts_only ?? false,
      repeated: repeatedIn(run),
    };
  }

  async values(question: ValueQuestion): Promise<ValuePage> {
    const run = this.#run();
    const rows = (question.set === "accepted" ? run.accepted : run.errors) ?? [];
    const own = question.documents?.length ? opened(run, question) : [];
    const found = (own.length ? own : rows).filter((row) => fits(row, question));
    return page(orderValues(found, question, run), question, totalOf(question, run));
  }

  async documents(question: DocumentQuestion): Promise<DocumentPage> {
    const run = this.#run();
    const find = question.find?.toLowerCase() ?? "";
    const all = run.documents ?? [];
    const found = all.filter(
      (row) => row.document.toLowerCase().includes(find) && isOfGroup(row, classesOf(row), question),
    );
    const total = all.length === run.document_total ? found.length : documentTotal(question, run);
    return page(ordered(found, question.order ?? "worst"), question, total);
  }

  async document(key: DocumentKey): Promise<DocumentAnswer> {
    const run = this.#run();
    const wrong = (run.documents ?? []).filter((row) => isKey(row, key) || isWrong(row));
    const at = wrong.findIndex((row) => isKey(row, key));
    const found = wrong[at];
    if (!found) {
      const remedy = `fieldwise show RESULTS --document ${quoted(key.document)} --limit 0`;
      throw new StudioError("document.not_here", `No document ${key.document} is in this file.`, remedy);
    }
    const values = found.opened ? (run.values ?? []).filter((row) => isKey(row, key)) : null;
    return { document: found, values, previous: keyOf(wrong[at - 1]), next: keyOf(wrong[at + 1]) };
  }

  async curves(): Promise<ThresholdCurve[]> {
    return this.#run().curves ?? [];
  }

  async sections(question: SectionQuestion): Promise<SectionPage> {
    const { metrics, documents } = this.#run();
    const found = sectionsOf(metrics, documents ?? [], question);
    return page(found, question, sectionTotal(metrics, question));
  }

  async comparison(): Promise<Comparison> {
    const { difference, unpaired, verdict, notes } = this.#answers;
    return { paired: difference ?? null, unpaired: unpaired ?? null, verdict: verdict ?? "", notes: notes ?? [] };
  }

  async confidence(): Promise<ConfidencePage> {
    const { confidence } = this.#answers;
    if (!confidence) throw new StudioError("confidence.not_here", "No value in this file carries a confidence.");
    return confidence;
  }

  async sweep(): Promise<SweepPage> {
    const { sweep } = this.#answers;
    if (!sweep) throw new StudioError("sweep.not_here", "This file holds no sweep of thresholds.");
    return sweep;
  }

  async classes(): Promise<Omit<ClassesPage, "rows">> {
    return this.#classes();
  }

  async labelRows(question: LabelQuestion): Promise<LabelPage> {
    const { classification, rows } = this.#classes();
    return page(foundRows(rows ?? [], question), question, rowTotal(classification, question));
  }

  #classes(): ClassesPage {
    const { classes } = this.#answers;
    if (!classes) throw new StudioError("classes.not_here", "This file holds no labels.");
    return classes;
  }

  #run(): RunPage {
    const { run } = this.#answers;
    if (!run) throw new StudioError("run.not_here", "This file holds no run.");
    return run;
  }
}

function shownIn({ run, classes, confidence, sweep }: PageAnswers): About["shows"] {
  if (run) return "run";
  if (classes) return "classes";
  if (confidence) return "confidence";
  return sweep ? "sweep" : "comparison";
}

function isKey(row: { document: string; trial?: number }, key: DocumentKey): boolean {
  return row.document === key.document && (row.trial ?? 1) === (key.trial ?? 1);
}

function keyOf(row: PageDocument | undefined): DocumentKey | null {
  return row ? { document: row.document, trial: row.trial ?? 1 } : null;
}

function isWrong(row: PageDocument): boolean {
  return (row.fd ?? 0) + (row.fa ?? 0) + (row.fn ?? 0) > 0;
}

/** The classes of a document: its own, and those of its sections. */
function classesOf(row: PageDocument): (string | null)[] {
  return [row.class ?? null, ...(row.sections ?? []).map((section) => section.class ?? null)];
}

/** All values of a document that the file opens, which are more than its share of the errors. */
function opened(run: RunPage, question: ValueQuestion): PageValue[] {
  const of = (run.values ?? []).filter((row) => isOfDocument(row, question));
  return of.filter((row) => (question.set === "accepted" ? !!row.accepted : row.outcome !== "match"));
}

function fits(row: PageValue, question: ValueQuestion): boolean {
  const { outcomes, kinds, sections, find } = question;
  return (
    isOfGroup(row, [row.class ?? null], question) &&
    isAny(row.section, sections) &&
    (!find || said(row).includes(find.toLowerCase())) &&
    isOfField(row.field, question) &&
    isAny(row.outcome, outcomes) &&
    isAny(row.kind ?? row.accepted, kinds) &&
    isOfDocument(row, question)
  );
}

function said(row: PageValue): string {
  return [row.document, row.path, row.predicted_path, row.expected, row.predicted].join("\n").toLowerCase();
}

function hasScore({ score }: PageDocument): boolean {
  return score !== null && score !== undefined;
}

/** By scores, of which a document without one comes last either way, or by ids. */
function ordered(rows: PageDocument[], order: "worst" | "best" | "id"): PageDocument[] {
  if (order === "worst") return rows;
  if (order === "best") return rows.toReversed().toSorted((a, b) => Number(!hasScore(a)) - Number(!hasScore(b)));
  return rows.toSorted(byDocument);
}

function page<Row>(
  rows: Row[],
  { first = FIRST, after }: { first?: number; after?: string | null },
  total: number | null,
): Page<Row> {
  const start = Number(after ?? 0);
  if (!Number.isInteger(start) || start < 0) throw new StudioError("cursor.unknown", "This list has no such place.");
  const end = start + first;
  return { rows: rows.slice(start, end), next: end < rows.length ? String(end) : null, held: rows.length, total };
}
