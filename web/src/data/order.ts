/** The order of ids and paths, as Python has it (`natural` in `text.py`), whatever the language of the reader. */

/** Texts and the numbers between them, by their length first: d9 comes before d10. */
function parts(text: string): string[] {
  const plain = text
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase();
  return [...plain.matchAll(/([^0-9]*)([0-9]*)/g)].flatMap(([, words = "", digits = ""]) => {
    const number = digits.replace(/^0+/, "");
    return [words, String.fromCharCode(number.length), number];
  });
}

const known = new Map<string, string[]>();

function partsOf(text: string): string[] {
  const found = known.get(text) ?? parts(text);
  if (known.size < MAX_KNOWN) known.set(text, found);
  return found;
}

/** So many texts are taken apart once: each is compared with several others. */
const MAX_KNOWN = 50_000;

export function byCode(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** Numbers within texts count as such; accents and letter case come last. */
export function byText(a: string, b: string): number {
  const [ours, theirs] = [partsOf(a), partsOf(b)];
  for (let k = 0; k < ours.length && k < theirs.length; k += 1) {
    const order = byCode(ours[k] ?? "", theirs[k] ?? "");
    if (order) return order;
  }
  return ours.length - theirs.length || byCode(a, b);
}

/** By the id of the document, then by the trial. */
export function byDocument<Row extends { document: string; trial?: number | null | undefined }>(
  a: Row,
  b: Row,
): number {
  return byText(a.document, b.document) || (a.trial ?? 1) - (b.trial ?? 1);
}
