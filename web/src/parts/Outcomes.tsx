import type { FieldMetrics } from "../data/types";
import { count, counted, share } from "../format/numbers";
import { outcomeOf, WORDS } from "../format/words";
import { writeAddress } from "../state/address";

export function Outcome({ name, accepted }: { name: string; accepted?: string | null | undefined }) {
  const { symbol, word } = outcomeOf(name);
  return (
    <span className={`outcome ${name}`}>
      <i aria-hidden="true">{symbol}</i> {word}
      {accepted && <small className="quiet"> {WORDS.accepted[accepted as "similar"] ?? accepted}</small>}
    </span>
  );
}

const ORDER = [
  ["match", "tp"],
  ["mismatch", "fd"],
  ["missed", "fn"],
  ["spurious", "fa"],
] as const;

/** What became of the values that either side has, as one bar whose parts open to the values. */
export function OutcomeBar({ metrics, canOpen }: { metrics: FieldMetrics; canOpen: boolean }) {
  const all = metrics.tp + metrics.fd + metrics.fn + metrics.fa;
  const starts = ORDER.map((_, k) => ORDER.slice(0, k).reduce((sum, [, key]) => sum + metrics[key], 0));
  if (!all) return <p className="quiet">No value was compared.</p>;
  return (
    <div className="outcomes">
      <h3>What became of {counted(all, "value")}</h3>
      <svg viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">
        {ORDER.map(([name, key], k) => (
          <rect
            key={name}
            className={name}
            x={(1000 * (starts[k] ?? 0)) / all}
            width={(1000 * metrics[key]) / all}
            height="10"
          />
        ))}
      </svg>
      <ul className="key">
        {ORDER.map(([name, key]) => {
          const said = (
            <>
              <i aria-hidden="true">{outcomeOf(name).symbol}</i> {outcomeOf(name).past} <b>{count(metrics[key])}</b>
            </>
          );
          const opens = canOpen && name !== "match" && metrics[key] > 0;
          return (
            <li key={name} className={name}>
              {opens ? <a href={writeAddress("errors", { outcome: name })}>{said}</a> : said}{" "}
              <span className="quiet">{share(metrics[key], all)}</span>
              {name === "match" && canOpen && <NotIdentical metrics={metrics} />}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** How many of the matches are of values that are not identical; they open. */
function NotIdentical({ metrics }: { metrics: FieldMetrics }) {
  const near = (metrics.written_differently ?? 0) + (metrics.similar ?? 0);
  if (!near) return null;
  return (
    <>
      ,{" "}
      <a className="underlined" href={writeAddress("errors", { set: "accepted" })}>
        {count(near)} not identical
      </a>
    </>
  );
}
