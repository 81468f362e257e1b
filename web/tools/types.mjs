// Writes src/data/types.ts from the JSON Schemas of what is inside the page and of questions: `npm run types`.
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { compile } from "json-schema-to-typescript";

const SCHEMAS = new URL("../../docs/schemas/", import.meta.url);
export const TYPES = fileURLToPath(new URL("../src/data/types.ts", import.meta.url));

/** What is said of every definition that is named. */
const REFERRED = /( \*\n)? \* This \w+ was referenced by `\w+`'s JSON-Schema\n \* via the `definition` "\w+"\.\n/g;

export async function typesText() {
  // What stands beside a reference, a default, would make a second type of the same name.
  const plain = (_key, value) => (value?.$ref && !value.$defs ? { $ref: value.$ref } : value);
  const read = async (name) => JSON.parse(await readFile(new URL(`${name}.schema.json`, SCHEMAS), "utf-8"), plain);
  const [{ $defs: inside, ...schema }, { $defs: asked }] = [await read("page"), await read("questions")];
  const root = schema.$ref.split("/").at(-1);
  const { [root]: top, ...$defs } = { ...inside, ...asked };
  const text = await compile({ ...top, $defs }, root, {
    unreachableDefinitions: true,
    additionalProperties: false,
    bannerComment:
      "// Made by `npm run types` from page.schema.json and questions.schema.json in docs/schemas; not to be edited.",
    format: true,
    style: { printWidth: 120 },
  });
  return text.replace(REFERRED, "");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await writeFile(TYPES, await typesText());
}
