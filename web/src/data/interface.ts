/** What the page asks, whoever answers: the file that it is, or a server. */
import type { Slice } from "./groups";
import type {
  ClassesPage,
  ClassificationError,
  ConfidencePage,
  LabelRow,
  Metrics,
  PageDocument,
  PageValue,
  Rule,
  RunDifference,
  SweepPage,
  ThresholdCurve,
  UnpairedDifference,
} from "./types";

export interface About {
  title: string;
  facts: Record<string, string>;
  shows: "run" | "comparison" | "classes" | "confidence" | "sweep";
}

export interface Summary {
  metrics: Metrics;
  rules: Rule[];
  ruleNotes: string[];
  /** What a reader of the numbers should know, in sentences. */
  notes: string[];
  /** Whether compared values were kept at all. */
  hasRows: boolean;
  /** Whether predicted values carry confidences. */
  hasConfidences: boolean;
  /** Whether counts of others were added up: nobody knows all the values that they count. */
  countsOnly: boolean;
  /** The documents of which there are several trials: their ids alone name none of these. */
  repeated: ReadonlySet<string>;
}

export type ValueSet = "wrong" | "accepted";

export interface ValueQuestion {
  set: ValueSet;
  /** A field, or an object or list whose fields are meant. */
  field?: string | undefined;
  outcomes?: readonly string[] | undefined;
  kind?: string | undefined;
  document?: string | undefined;
  trial?: number | undefined;
  section?: string | undefined;
  class?: string | undefined;
  slice?: Slice | undefined;
  /** A text in its path, its document or its values. */
  find?: string | undefined;
  /** Worst first if nothing is said: values of the field that loses most, or accepted ones that are least alike. */
  order?: "worst" | "path" | "document" | undefined;
  first: number;
  after?: string | undefined;
}

export interface DocumentQuestion {
  /** A part of the id. */
  find?: string | undefined;
  class?: string | undefined;
  slice?: Slice | undefined;
  order?: "worst" | "best" | "id" | undefined;
  first: number;
  after?: string | undefined;
}

export interface Page<Row> {
  rows: Row[];
  /** Where to go on; null at the end. */
  next: string | null;
  /** How many can be listed here. */
  held: number;
  /** How many there are in the run; null where nobody knows without looking at all rows. */
  total: number | null;
}

export interface DocumentAnswer {
  document: PageDocument;
  /** All its values; null where they are not here. */
  values: PageValue[] | null;
  /** The documents before and after it, worst first, that have something wrong. */
  previous: DocumentKey | null;
  next: DocumentKey | null;
}

export interface DocumentKey {
  document: string;
  trial: number;
}

/** Sections by their classes, as the matrix names them; null is no section. Without both classes, those that are wrong. */
export interface SectionQuestion {
  expected?: string | null | undefined;
  predicted?: string | null | undefined;
  first: number;
  after?: string | undefined;
}

/** A section; one whose class is right has no more to say than where it is. */
export interface FoundSection {
  document: string;
  section: string;
  /** Undefined where nobody says which trial it is of. */
  trial?: number | undefined;
  error?: ClassificationError;
}

/** Rows by the places of their labels in the matrix. */
export interface LabelQuestion {
  expected?: number | undefined;
  predicted?: number | undefined;
  right?: boolean | undefined;
  find?: string | undefined;
  first: number;
  after?: string | undefined;
}

export interface Comparison {
  paired: RunDifference | null;
  unpaired: UnpairedDifference | null;
}

export interface StudioData {
  about(): Promise<About>;
  summary(): Promise<Summary>;
  values(question: ValueQuestion): Promise<Page<PageValue>>;
  documents(question: DocumentQuestion): Promise<Page<PageDocument>>;
  document(key: DocumentKey): Promise<DocumentAnswer>;
  curves(): Promise<ThresholdCurve[]>;
  sections(question: SectionQuestion): Promise<Page<FoundSection>>;
  comparison(): Promise<Comparison>;
  /** What the confidences are worth. */
  confidence(): Promise<ConfidencePage>;
  /** A field at many thresholds. */
  sweep(): Promise<SweepPage>;
  classes(): Promise<Omit<ClassesPage, "rows">>;
  labelRows(question: LabelQuestion): Promise<Page<LabelRow>>;
}

/** What went wrong, and what can be done about it. */
export class StudioError extends Error {
  readonly code: string;
  readonly remedy: string;

  constructor(code: string, message: string, remedy = "") {
    super(message);
    this.code = code;
    this.remedy = remedy;
  }
}
