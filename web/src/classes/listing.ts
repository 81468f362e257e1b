/** The command that lists all rows of a question, from the file that holds them. */
import { isClass } from "../data/matrix";
import type { ClassesPage, ClassScores, LabelQuestion } from "../data/types";

export function commandOf(
  { input, classification }: Omit<ClassesPage, "rows">,
  { classes, confusion_matrix: matrix }: Pick<ClassScores, "classes" | "confusion_matrix">,
  { expected, predicted, right }: LabelQuestion,
): string | undefined {
  if (!input || typeof right === "boolean") return undefined;
  const { golden_key: golden, predicted_key: answer } = classification.about;
  const label = (place: number) => (isClass(matrix, place) ? JSON.stringify(classes[place]?.label ?? null) : "null");
  const tests = [
    ...(typeof expected !== "number" ? [] : [`.golden[${JSON.stringify(golden)}] == ${label(expected)}`]),
    ...(typeof predicted !== "number" ? [] : [`.predicted[${JSON.stringify(answer)}] == ${label(predicted)}`]),
  ];
  if (!tests.length) return undefined;
  return `jq -c ${quoted(`select(${tests.join(" and ")})`)} ${quoted(input)}`;
}

function quoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
