import { type Explained, Explanations } from "../parts/Explanations";

/** How to read a comparison whose units are documents, or clusters of them. */
export function Reading({ unit }: { unit: "document" | "cluster" }) {
  const words: Explained[] = [
    ["Points", "Candidate less base, in hundredths of a rate. Above 0 the candidate is higher."],
    [
      "95%",
      `An interval that pairs the two runs ${unit} by ${unit}. Values of one ${unit} are not taken as independent.`,
    ],
    ["p", "How likely so large a difference would be if the two runs were equally good."],
    [
      "q",
      `p after counting how many fields were looked at (Benjamini and Hochberg). Better or worse means q < 0.05 and an interval without 0. Fields in which fewer than six ${unit}s differ can’t show anything and have none.`,
    ],
    ["Holm", "A stricter adjustment: the chance of any false alarm among all fields."],
    [
      "Mixed",
      "The rate went one way, and the number of right values, as a test shows, the other: guesses that are right and wrong more often, or wrong values left empty together with right ones. Also said of all values where a field is clearly worse.",
    ],
    ["No clear change", `These ${unit}s don’t show a difference. That is not the same as no difference.`],
    ["Detectable", `The smallest difference that so many ${unit}s show four times out of five.`],
    [
      "Broken, fixed",
      "A value that only the base, or only the candidate, has right. Invented values count by whether they are there.",
    ],
    ["few", `Fewer than 20 ${unit}s have the field: the interval is a rough one.`],
  ];
  return <Explanations words={words} />;
}
