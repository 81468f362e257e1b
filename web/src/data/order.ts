/** The order of ids and paths: numbers within them count as such, so that d9 comes before d10. */
const { compare } = new Intl.Collator(undefined, { numeric: true });

export function byText(a: string, b: string): number {
  return compare(a, b);
}

/** By the id of the document, then by the trial. */
export function byDocument<Row extends { document: string; trial?: number | null | undefined }>(
  a: Row,
  b: Row,
): number {
  return byText(a.document, b.document) || (a.trial ?? 1) - (b.trial ?? 1);
}
