/** Opens the answers that the page holds. */
import { FileData } from "./file";
import { type StudioData, StudioError } from "./interface";
import type { PageAnswers } from "./types";

const FORMAT = "fieldwise.page/2";

export async function loadData(element: Element | null): Promise<StudioData> {
  const text = element?.textContent ?? "";
  if (!text.trim()) {
    throw new StudioError(
      "page.empty",
      "No run is inside of this page.",
      "fieldwise evaluate … --out RESULTS writes one.",
    );
  }
  return new FileData(await unpack(JSON.parse(text)));
}

/** Returns what gzip and base64 hold. */
export async function unpack(packed: string): Promise<PageAnswers> {
  try {
    const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const answers: PageAnswers = await new Response(stream).json();
    if (answers.format && answers.format !== FORMAT) throw new Error(`Expected ${FORMAT}, got ${answers.format}`);
    return answers;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StudioError("page.damaged", `The data of this page cannot be read: ${reason}`, "Write the page again.");
  }
}
