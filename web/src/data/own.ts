/** What a record itself has under a key, which may come from an address; null for what it has not. */
export function own<Value>(record: Readonly<Record<string, Value>>, key: string): Value | null {
  return Object.hasOwn(record, key) ? (record[key] ?? null) : null;
}
