/** What the page asks, whoever answers: the file that it is, or a server. */
import type {
  ClassesPage,
  ConfidencePage,
  DocumentAnswer,
  DocumentKey,
  DocumentPage,
  DocumentQuestion,
  LabelPage,
  LabelQuestion,
  Metrics,
  Rule,
  RunDifference,
  SectionPage,
  SectionQuestion,
  SweepPage,
  ThresholdCurve,
  UnpairedDifference,
  ValuePage,
  ValueQuestion,
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

/** Some rows of a list, whatever they are. */
export interface Page<Row> extends Omit<ValuePage, "rows"> {
  rows: Row[];
}

export interface Comparison {
  paired: RunDifference | null;
  unpaired: UnpairedDifference | null;
  /** What the runs show, in a sentence or two. */
  verdict: string;
  /** What to know before believing the numbers, in sentences. */
  notes: string[];
}

export interface StudioData {
  about(): Promise<About>;
  summary(): Promise<Summary>;
  values(question: ValueQuestion): Promise<ValuePage>;
  documents(question: DocumentQuestion): Promise<DocumentPage>;
  document(key: DocumentKey): Promise<DocumentAnswer>;
  curves(): Promise<ThresholdCurve[]>;
  sections(question: SectionQuestion): Promise<SectionPage>;
  comparison(): Promise<Comparison>;
  /** What the confidences are worth. */
  confidence(): Promise<ConfidencePage>;
  /** A field at many thresholds. */
  sweep(): Promise<SweepPage>;
  classes(): Promise<Omit<ClassesPage, "rows">>;
  labelRows(question: LabelQuestion): Promise<LabelPage>;
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
