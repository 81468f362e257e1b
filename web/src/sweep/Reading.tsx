import { type Explained, Explanations } from "../parts/Explanations";

const WORDS: Explained[] = [
  ["Score", "How alike two values are for the comparator of the field, from 0 to 1."],
  ["Threshold", "Values with at least this score match."],
  ["TP, FD", "Values that match, and that both sides have but differ."],
  ["Precision", "TP / (TP + FD + FA), with FA the values that only the prediction has."],
  ["Strict recall", "TP / (TP + FN + FD), with FN the missed values. A wrong value is also a value not found."],
  ["Detection recall", "TP / (TP + FN). A wrong value does not lower it."],
  ["F1 (strict)", "2·TP / (2·TP + 2·FD + FA + FN), of precision and strict recall."],
  ["Interval", "95%, with documents as units."],
  [
    "Highest",
    "The threshold with the highest F1 (strict), of equals the nearest to the current one. No recommendation.",
  ],
];

/** How to read a sweep. */
export function Reading() {
  return <Explanations words={WORDS} />;
}
