import type { ScoreBin, Sweep } from "../data/types";
import { count, number, shortCount } from "../format/numbers";
import { outcomeOf } from "../format/words";
import { DataTable } from "../parts/DataTable";
import { Chart, Plot, type Scale } from "../parts/Plot";
import { height, marksUpTo } from "../state/sweep";
import { Current } from "./RatesPlot";

const SIDES = [
  ["match", "matches"],
  ["mismatch", "mismatches"],
] as const;

/** How many values have which score, those that match and those that do not at the current threshold. */
export function ScoresPlot({ sweep }: { sweep: Sweep }) {
  const sizes = sweep.scores.map((bin) => bin.matches + bin.mismatches);
  const most = Math.max(...sizes, 1);
  const marks = marksUpTo(most);
  const filledBins = sweep.scores.filter((_, k) => sizes[k]);
  return (
    <Chart
      title="Distribution of scores"
      drawing={
        <Plot
          label={`Values by score. ${filledBins.map((bin) => `${number(bin.low)}: ${count(bin.matches + bin.mismatches)}`).join("; ")}`}
          xTitle="score"
          yTitle="values (log scale)"
          width={330}
          height={250}
          yTop={height(most) * 1.15}
          yTicks={marks.map(height)}
          yNames={marks.map(shortCount)}
        >
          {(scale) => (
            <>
              {filledBins.map((bin) => (
                <Column key={bin.low} bin={bin} scale={scale} />
              ))}
              <Current threshold={sweep.threshold} scale={scale} y={scale.top + 12} />
            </>
          )}
        </Plot>
      }
      note={
        <ul className="key">
          {SIDES.map(([name]) => (
            <li key={name} className={name}>
              <i aria-hidden="true">{outcomeOf(name).symbol}</i> {outcomeOf(name).word}
              {name === "match" && " at the current threshold"}
            </li>
          ))}
        </ul>
      }
      numbers={
        <DataTable
          label="Values by score"
          rows={filledBins}
          keyOf={(bin) => String(bin.low)}
          columns={[
            {
              ...{ key: "score", title: "score", head: true },
              cell: (bin) => `${number(bin.low)} to ${number(bin.high)}`,
            },
            { key: "matches", title: "match", numeric: true, cell: (bin) => count(bin.matches) },
            { key: "mismatches", title: "mismatch", numeric: true, cell: (bin) => count(bin.mismatches) },
          ]}
        />
      }
    />
  );
}

/** A bin has values of one side only, as an edge is at the threshold; where rounding mixes them, both are drawn. */
function Column({ bin, scale }: { bin: ScoreBin; scale: Scale }) {
  const [left, right] = [scale.x(bin.low), scale.x(bin.high)];
  return (
    <g>
      <title>
        {`score ${number(bin.low)} to ${number(bin.high)}: ${count(bin.matches)} match, ${count(bin.mismatches)} mismatch`}
      </title>
      {SIDES.map(([name, key]) => {
        const top = scale.y(height(bin[key]));
        return (
          bin[key] > 0 && (
            <rect
              key={name}
              className={name}
              x={left + 1}
              y={top}
              width={Math.max(right - left - 2, 1)}
              height={scale.bottom - top}
            />
          )
        );
      })}
    </g>
  );
}
