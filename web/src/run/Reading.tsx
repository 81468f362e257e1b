import { type Explained, Explanations } from "../parts/Explanations";

const WORDS: Explained[] = [
  ["TP, match", "Both sides have a value, and they agree."],
  ["FD, mismatch", "Both sides have a value, and the predicted one is wrong."],
  ["FA, spurious", "A value was predicted where none was expected."],
  ["FN, missed", "A value was expected and none was predicted."],
  ["TN", "Neither side has a value."],
  ["Precision", "TP / (TP + FP), with FP = FD + FA."],
  ["Recall (strict)", "TP / (TP + FN + FD). A wrong value is also a value not found."],
  ["Detection recall", "TP / (TP + FN). A wrong value does not lower it."],
  ["F1 (strict)", "2·TP / (2·TP + 2·FD + FA + FN), of precision and strict recall. ● above 0.8, ◐ from 0.5, ○ below."],
  ["Lost points", "FD + FA + FN, times the weight of the field: what a field costs, however many values it has."],
  [
    "95% interval",
    "Beneath a rate, and the line on its bar: where the rate of all documents of this kind plausibly lies. The units are the n documents, not their values, which are right or wrong together.",
  ],
  ["few", "Fewer than 20 documents have the field: the interval is a rough one. With fewer than 2 there is none."],
  ["Mean F1 of documents", "How good a typical document is: each weighs the same, however many values it has."],
  ["Exact documents", "Without any wrong, missed or invented value: those that could go straight through."],
  [
    "Kind of error",
    "What a mistake looks like, told from the two values and the rest of the document: a guess, not a proof.",
  ],
  ["–", "Undefined: nothing was there to divide by. It is not a zero."],
];

/** How to read the page of a run. */
export function Reading() {
  return <Explanations words={WORDS} />;
}
