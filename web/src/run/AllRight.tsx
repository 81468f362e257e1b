import type { TabProps } from "./RunPage";

/** What stands in place of the worst fields where no field has lost anything. */
export function AllRight({ sums: { metrics } }: { sums: TabProps["sums"] }) {
  const { tp, fd, fa, fn } = metrics.aggregate;
  if (!metrics.document_count) return <p className="quiet">No documents were compared.</p>;
  if (fd + fa + fn) return <p className="quiet">What is wrong is under no field of its own: see Errors.</p>;
  if (!tp) return <p className="quiet">No value was compared.</p>;
  return (
    <p>
      <b className="good">✓</b> Nothing wrong found{metrics.error_count ? " in what could be compared" : ""}.
    </p>
  );
}
