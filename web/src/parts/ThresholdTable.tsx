import type { Rates } from "../data/types";
import { change, count, number, rate } from "../format/numbers";
import { WORDS } from "../format/words";
import { DataTable } from "./DataTable";
import { Badge } from "./Figures";

export interface Counted {
  tp: number;
  fd: number;
  fa: number;
  fn: number;
  rates: Rates;
}

/** Counts and rates of a field at a threshold, beside those at its own. */
export function ThresholdTable({ at, found, own }: { at: number; found: Counted; own: Counted }) {
  const rates = (["strict_f1", "precision", "strict_recall", "recall"] as const).map((key) => ({
    name: WORDS.metrics[key],
    now: <Badge value={found.rates[key].value} />,
    own: rate(own.rates[key].value),
    by: "",
  }));
  const counts = (["tp", "fd", "fa", "fn"] as const).map((key) => ({
    name: key.toUpperCase(),
    now: count(found[key]),
    own: count(own[key]),
    by: change(found[key] - own[key]),
  }));
  return (
    <DataTable
      label="Counts and rates at the threshold"
      rows={[...rates, ...counts]}
      keyOf={(line) => line.name}
      columns={[
        { key: "name", title: "figure", head: true, cell: (line) => line.name },
        { key: "now", title: `at ${number(at)}`, numeric: true, cell: (line) => line.now },
        { key: "own", title: "in this run", numeric: true, cell: (line) => line.own },
        { key: "by", title: "change", numeric: true, cell: (line) => line.by },
      ]}
    />
  );
}
