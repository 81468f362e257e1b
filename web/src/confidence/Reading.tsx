import type { Calibration } from "../data/types";
import { wholePercent } from "../format/numbers";
import { type Explained, Explanations } from "../parts/Explanations";
import { REVIEW_SHARE } from "../state/confidence";

/** How to read what confidences are worth. */
export function Reading({ calibration: { bins, target_error, pooled, cluster_by } }: { calibration: Calibration }) {
  const target = wholePercent(target_error);
  const units = cluster_by || pooled.auroc?.unit === "clusters" ? "clusters of documents" : "documents";
  const words: Explained[] = [
    [
      "Right",
      "A value that matches. Mismatched and spurious values are wrong; missed values were never predicted and carry no confidence.",
    ],
    [
      "ECE",
      `The mean distance of confidence and share right, over ${bins} bins of equal width. Equal mass: over bins of as many values each.`,
    ],
    [
      "By chance alone",
      "What ECE is on average if every confidence is true and values are independent: with few values it is far from 0. An ECE near it shows no fault.",
    ],
    ["Points", "Mean confidence minus share right, in points of a hundred. Above 0: over-confident."],
    [
      "Reliability",
      "Dots on the dashed line are true; below it the confidence is too high. Bars are Wilson’s 95% intervals, which take values as independent; columns count the values of a bin.",
    ],
    [
      "AUROC",
      `The chance that a right value has the higher confidence than a wrong one: 0.5 is guessing. The 95% interval has ${units} as units.`,
    ],
    [
      "Review",
      `The least confident values first: how many of the errors are among them. In the table: at ${wholePercent(REVIEW_SHARE)}. The dashed line is review by chance.`,
    ],
    [
      "Risk",
      `The most confident values first: how many of the accepted ones are wrong. The dashed line is the target of ${target}.`,
    ],
    [
      "Accept from",
      `The lowest of the candidate confidences from which on at most ${target} of the values are wrong, by Clopper and Pearson’s bound for all candidates together. Chosen on one half of the ${units}, checked on the other; the bound takes values as independent, the check does not.`,
    ],
    [
      "Brier, log loss",
      "The mean of (confidence − right)², and of −ln of the chance given to what happened: smaller is better. Reliability is what is lost by wrong confidences, resolution what is gained by telling values apart.",
    ],
    ["Spiegelhalter’s z", "Beyond ±2 the confidences are not true, if values were independent."],
    ["–", "Undefined: its reason is beside it, or is shown when pointed at. It is not a zero."],
  ];
  return <Explanations words={words} />;
}
