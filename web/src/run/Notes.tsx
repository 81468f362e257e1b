import type { Metrics } from "../data/types";
import { count, counted } from "../format/numbers";
import { Shown } from "../parts/Text";

const MAX_PATHS = 5;

/** What a reader of the numbers should know, in sentences. */
export function Notes({ metrics }: { metrics: Metrics }) {
  const sentences = [outside(metrics), ...(metrics.notes ?? [])].filter(Boolean);
  if (!sentences.length) return null;
  return (
    <ul className="notes">
      {sentences.map((text) => (
        <li key={text}>
          <Shown text={text} breaks="/_" />
        </li>
      ))}
    </ul>
  );
}

/** Says which values count nowhere. */
function outside(metrics: Metrics): string {
  const paths = Object.entries(metrics.outside ?? {});
  const rest = metrics.outside_not_listed ?? {};
  const sum = (side: "expected" | "predicted") =>
    paths.reduce((total, [, held]) => total + (held[side] ?? 0), rest[side] ?? 0);
  const [expected, predicted] = [sum("expected"), sum("predicted")];
  if (!expected && !predicted) return "";
  const size = ([, held]: (typeof paths)[number]) => (held.expected ?? 0) + (held.predicted ?? 0);
  const most = paths
    .toSorted((a, b) => size(b) - size(a))
    .slice(0, MAX_PATHS)
    .map(([path]) => path);
  const more = paths.length > most.length || rest.expected || rest.predicted ? ", …" : "";
  const why =
    metrics.extras === "ignore"
      ? "undeclared keys are ignored"
      : "expected documents have these keys and the spec does not";
  const held = `${count(expected)} expected and ${counted(predicted, "predicted value")}`;
  return `Outside the spec, counted nowhere: ${held} under ${most.join(", ")}${more} (${why}).`;
}
