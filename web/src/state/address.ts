/** Where the page is, as its address says: a tab and what is chosen in it. */

export interface Place {
  tab: string;
  chosen: Readonly<Record<string, string>>;
}

/** Reads `#errors?field=total&outcome=missed`. */
export function readAddress(hash: string, tabs: readonly string[]): Place {
  const [name = "", query = ""] = hash.replace(/^#/, "").split("?", 2);
  const tab = tabs.includes(name) ? name : (tabs[0] ?? "");
  return { tab, chosen: Object.fromEntries(new URLSearchParams(query)) };
}

/** Writes it; what is not chosen is left out, and the order is that of the names. */
export function writeAddress(tab: string, chosen: Readonly<Record<string, string | undefined>> = {}): string {
  const said = Object.entries(chosen).filter((entry): entry is [string, string] => !!entry[1]);
  const query = new URLSearchParams(said.sort(([a], [b]) => a.localeCompare(b))).toString();
  return `#${tab}${query && `?${query}`}`;
}

/** Reads a choice among a few; undefined for anything else that an address may say. */
export function oneOf<Name extends string>(text: string | undefined, names: readonly Name[]): Name | undefined {
  return names.find((name) => name === text);
}
