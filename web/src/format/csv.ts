/** What is seen as CSV that no spreadsheet runs. */
import type { PageValue } from "../data/types";

const COLUMNS = [
  ...["document", "trial", "section", "class", "field", "path", "predicted_path", "outcome", "accepted", "kind"],
  ...["expected", "predicted", "raw_score", "reason"],
] as const;

export function csvOf(rows: readonly PageValue[]): string {
  return csvTable(
    COLUMNS,
    rows.map((row) => COLUMNS.map((name) => (row as unknown as Record<string, unknown>)[name])),
  );
}

export function csvTable(columns: readonly string[], rows: readonly unknown[][]): string {
  const lines = rows.map((row) => row.map(cell).join(","));
  return `${[columns.join(","), ...lines].join("\r\n")}\r\n`;
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = String(value);
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** What a spreadsheet needs at the beginning of a file to read letters of all languages. */
const BYTE_ORDER_MARK = "\ufeff";

export function saveCsv(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([BYTE_ORDER_MARK, text], { type: "text/csv;charset=utf-8" }));
  const link = Object.assign(document.createElement("a"), { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
