import Button from "@cloudscape-design/components/button";
import { useEffect, useState } from "react";

type Done = "copied" | "failed" | null;

const WORDS = { copied: "Copied", failed: "Not copied: the browser does not allow it" };
const SECONDS = 3;

/** Copies a text and says whether that was done. */
export function CopyButton({ text }: { text: () => Promise<string> }) {
  const [done, setDone] = useState<Done>(null);
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(null), SECONDS * 1000);
    return () => clearTimeout(timer);
  }, [done]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(await text());
      setDone("copied");
    } catch {
      setDone("failed");
    }
  };
  return (
    <>
      <Button iconName={done === "copied" ? "check" : "copy"} onClick={() => void copy()}>
        {done ? WORDS[done] : "Copy"}
      </Button>
      <span className="heard" aria-live="polite">
        {done && WORDS[done]}
      </span>
    </>
  );
}
