import type { PageValue, Rule } from "../data/types";
import { number, rate } from "../format/numbers";
import { kindOf } from "../format/words";
import { Shown } from "../parts/Text";

interface Props {
  value: PageValue;
  rules: readonly Rule[];
}

/** The score of a value that both sides have, beside the threshold from which it is right. */
export function Score({ value, rules }: Props) {
  if (value.outcome === "missed" || value.outcome === "spurious") return <span className="quiet">–</span>;
  return (
    <span className="score">
      {rate(value.raw_score ?? 1)} <small className="quiet">/ {number(ruleOf(value, rules)?.threshold)}</small>
    </span>
  );
}

/** The kind of an error, and why the value counts as it does. */
export function Why({ value, rules }: Props) {
  const words = because(value, rules);
  const kind = value.kind ? kindOf(value.kind) : null;
  if (!kind && !words) return null;
  return (
    <>
      {kind && <b title={kind.meaning}>{kind.word}</b>}
      <small className="quiet">
        {kind && words && " · "}
        <Shown text={words} />
      </small>
    </>
  );
}

/** The rule of a field; a list of values has it at the list. */
export function ruleOf(value: PageValue, rules: readonly Rule[]): Rule | undefined {
  const of = rules.filter((rule) => rule.path === value.field);
  return of.find((rule) => !!rule.class && rule.class === value.class) ?? of.find((rule) => !rule.class);
}

/** Why a value counts as it does, in words. */
export function because(value: PageValue, rules: readonly Rule[]): string {
  const rule = ruleOf(value, rules);
  if (value.outcome === "missed") return value.reason || "expected, not predicted";
  if (value.outcome === "spurious") return value.reason || "predicted, not expected";
  if (value.reason) return value.reason;
  if (!rule) return "";
  const score = value.raw_score ?? 1;
  if (value.outcome === "match") {
    return score < 1 ? `${rule.how}: ${rate(score)} ≥ ${number(rule.threshold)}` : rule.how;
  }
  return `${rule.how}: ${rate(score)} < ${number(rule.threshold)}`;
}

/** What the two texts of a value don't show: that they differ where they are cut, or are not of the same type. */
export function Remarks({ value }: { value: PageValue }) {
  const words = [differsLater(value) ? "differs further on" : "", typeWords(value)].filter(Boolean);
  return words.length > 0 && <small className="quiet whole"> {words.join(", ")}</small>;
}

/** How the types of two values differ that look the same. */
export function typeWords({ text_side: side, predicted }: PageValue): string {
  if (!side) return "";
  const other = typeOf(predicted ?? "");
  return side === "predicted" ? `text instead of ${other}` : `${other} instead of text`;
}

/** What a value that is no text is, told from how it is written. */
function typeOf(text: string): string {
  if (text.startsWith("[")) return "a list";
  if (text.startsWith("{")) return "an object";
  return text === "true" || text === "false" ? "true or false" : text === "null" ? "null" : "a number";
}

/** Whether the beginnings that a page holds are the same of two values that are not. */
export function differsLater({ expected, predicted, ...value }: PageValue): boolean {
  const isCut = !!value.expected_length || !!value.predicted_length;
  return isCut && expected === predicted && (value.outcome === "mismatch" || !!value.accepted);
}
