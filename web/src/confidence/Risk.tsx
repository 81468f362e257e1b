import type { FieldCalibration } from "../data/types";
import { number, percent, wholePercent } from "../format/numbers";
import { DataTable } from "../parts/DataTable";
import { Chart, Line, Mark, Plot } from "../parts/Plot";
import { clearPlace, pointsNear, riskLine, roundUp } from "../state/confidence";

/** The room of the label of the target, in shares of the drawing. */
const LABEL = { width: 0.24, height: 0.075 };
const SHARES = [0.1, 0.25, 0.5, 0.75, 0.9, 1];

/** The error rate among accepted values by the share accepted, with the target and the threshold that was chosen. */
export function Risk({ field, target }: { field: FieldCalibration; target: number }) {
  const line = riskLine(field);
  const top = roundUp(Math.max(1.25 * target, ...line.map(([, figure]) => figure)));
  const rows = pointsNear(field.risk_curve, SHARES);
  const chosen = field.acceptance?.chosen;
  const label = clearPlace(line, { level: target, width: LABEL.width, height: top * LABEL.height });
  const said = rows.map((row) => `${percent(row.share)}: ${percent(row.figure)}`);
  return (
    <Chart
      title="What does accepting risk?"
      drawing={
        <Plot
          label={`Errors among accepted values by share accepted. ${said.join("; ")}`}
          xTitle="values accepted, most confident first"
          yTitle="errors among them"
          height={296}
          yTop={top}
          isPercent
        >
          {(scale) => (
            <>
              <Line scale={scale} points={[0, 1].map((end) => [end, target])} look="even" />
              <text className="start" x={scale.x(label.from) + 4} y={scale.y(target) + (label.isBelow ? 15 : -5)}>
                target {wholePercent(target)}
              </text>
              <Line scale={scale} points={line} look="line" />
              {chosen && (
                <Mark
                  x={scale.x(chosen.coverage)}
                  y={scale.y(chosen.errors / chosen.accepted)}
                  words={`accept from ${number(chosen.threshold)}: ${percent(chosen.coverage)} of values`}
                  look="mark chosen"
                />
              )}
            </>
          )}
        </Plot>
      }
      note={
        chosen
          ? `The dot accepts from ${number(chosen.threshold)}; of the values accepted at most ${percent(chosen.upper)} are wrong, by its bound.`
          : "No threshold to accept from is shown."
      }
      numbers={
        <DataTable
          label="Errors among accepted values by share accepted"
          rows={rows}
          keyOf={(row) => String(row.confidence)}
          columns={[
            { key: "confidence", title: "accepted from", head: true, cell: (row) => number(row.confidence, 4) },
            { key: "share", title: "values", numeric: true, cell: (row) => percent(row.share) },
            { key: "errors", title: "errors among them", numeric: true, cell: (row) => percent(row.figure) },
          ]}
        />
      }
    />
  );
}
