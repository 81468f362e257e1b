import { type Explained, Explanations } from "../parts/Explanations";

const WORDS: Explained[] = [
  ["Accuracy", "The share of rows that are right."],
  ["Precision", "Of the rows predicted as a class, the share that is right: TP / (TP + FP)."],
  ["Recall", "Of the rows expected as a class, the share that is right: TP / (TP + FN)."],
  ["F1", "2PR / (P + R). ● above 0.8, ◐ from 0.5, ○ below."],
  ["Macro, weighted, micro", "The mean of the classes’ rates; their mean by the rows of each; the rate of the sums."],
  ["Cohen’s kappa, MCC", "Agreement beyond what chance gives, and the correlation of expected and predicted classes."],
  ["Interval", "Beneath a rate: where the rate of all such rows plausibly lies."],
  ["–", "Undefined: nothing was there to divide by. It is not a zero."],
];

/** How to read the page of classes. */
export function Reading() {
  return <Explanations words={WORDS} />;
}
