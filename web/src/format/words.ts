/** The words that every medium shares. */
import words from "../../../src/fieldwise/views/words.json";
import { own } from "../data/own";

export const WORDS = words;
export const DASH = words.dash;

export type Outcome = keyof typeof words.outcomes;
export type Grade = keyof typeof words.grades.symbols;

/** Fill in what the units of a figure are. */
export function ofUnits(text: string, unit: string | undefined): string {
  return text.replaceAll("{units}", unit ?? "documents");
}

/** The title and the hint of a column, as every medium has them. */
export function titled(table: keyof typeof words.tables, key: string, unit?: string) {
  const columns: { key: string; title: string; hint?: string }[] = words.tables[table];
  const { title, hint } = columns.find((column) => column.key === key) ?? { title: key };
  return { key, title: ofUnits(title, unit), hint: hint && ofUnits(hint, unit) };
}

/** Fills the places of a sentence, such as `{share}`. */
export function filled(text: string, places: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => places[name] ?? whole);
}

export function outcomeOf(name: string): (typeof words.outcomes)[Outcome] {
  return own<(typeof words.outcomes)[Outcome]>(words.outcomes, name) ?? words.outcomes.absent;
}

export function kindOf(name: string): { word: string; meaning: string } {
  const kinds: Record<string, { word: string; meaning: string }> = words.error_kinds;
  return own(kinds, name) ?? { word: name.replaceAll("_", " "), meaning: "" };
}

export function acceptedWord(name: string): string {
  return own<string>(words.accepted, name) ?? name;
}

export function findingOf(name: string): { symbol: string; word: string; tone: string } {
  const findings: Record<string, { symbol: string; word: string; tone: string }> = words.findings;
  return own(findings, name) ?? words.findings.undefined;
}

export function grade(value: number | null | undefined): Grade {
  if (value === null || value === undefined) return "undefined";
  if (value > words.grades.good_above) return "good";
  return value >= words.grades.fair_from ? "fair" : "poor";
}

export function gradeSymbol(value: number | null | undefined): string {
  return words.grades.symbols[grade(value)];
}
