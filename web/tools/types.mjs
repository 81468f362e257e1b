// Writes src/data/types.ts from the JSON Schema of the page's answers: `npm run types`.
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { compile } from "json-schema-to-typescript";

const SCHEMA = new URL("../../docs/schemas/page.schema.json", import.meta.url);
export const TYPES = fileURLToPath(new URL("../src/data/types.ts", import.meta.url));

export async function typesText() {
  // What stands beside a reference, a default, would make a second type of the same name.
  const plain = (_key, value) => (value?.$ref && !value.$defs ? { $ref: value.$ref } : value);
  const { $defs, ...schema } = JSON.parse(await readFile(SCHEMA, "utf-8"), plain);
  const root = schema.$ref.split("/").at(-1);
  return compile({ ...$defs[root], $defs }, root, {
    additionalProperties: false,
    bannerComment: "// Made by `npm run types` from docs/schemas/page.schema.json; not to be edited.",
    format: true,
    style: { printWidth: 120 },
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await writeFile(TYPES, await typesText());
}
