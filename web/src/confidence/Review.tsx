import type { FieldCalibration } from "../data/types";
import { count, percent, wholePercent } from "../format/numbers";
import { WORDS } from "../format/words";
import { DataTable } from "../parts/DataTable";
import { Chart, Line, Mark, Plot } from "../parts/Plot";
import { reviewLine } from "../state/confidence";

/** The share of errors caught by the share reviewed; the chosen share is named. */
export function Review({ field, share }: { field: FieldCalibration; share: number }) {
  const errors = field.n - field.right;
  const said = field.review.map((point) => `${wholePercent(point.share)}: ${percent(point.caught)}`);
  return (
    <Chart
      title="What does review catch?"
      drawing={
        errors ? (
          <Plot
            label={`Errors caught by share reviewed. ${said.join("; ")}`}
            xTitle="values reviewed, least confident first"
            yTitle="errors caught"
            height={296}
            isPercent
          >
            {(scale) => (
              <>
                <Line scale={scale} points={[0, 1].map((end) => [end, end])} look="even" />
                <Line scale={scale} points={reviewLine(field)} look="line" />
                {field.review.map((point) => (
                  <Mark
                    key={point.share}
                    x={scale.x(point.share)}
                    y={scale.y(point.caught)}
                    words={`reviewing ${wholePercent(point.share)} catches ${percent(point.caught)} of the errors`}
                    look={point.share === share ? "mark chosen" : "mark"}
                  />
                ))}
                {field.review
                  .filter((point) => point.share === share)
                  .map((point) => (
                    <text
                      key={point.share}
                      className="start strong"
                      x={scale.x(point.share) + 10}
                      y={scale.y(point.caught) + 18}
                    >
                      {wholePercent(point.share)} → {percent(point.caught)}
                    </text>
                  ))}
              </>
            )}
          </Plot>
        ) : (
          <p className="quiet">{WORDS.notes.no_errors}</p>
        )
      }
      note="The dashed line is review by chance."
      numbers={
        <DataTable
          label="Errors caught by share reviewed"
          rows={field.review}
          keyOf={(point) => String(point.share)}
          columns={[
            { key: "share", title: "reviewed", head: true, cell: (point) => wholePercent(point.share) },
            {
              ...{ key: "values", title: "values", numeric: true },
              cell: (point) => count(Math.round(point.share * field.n)),
            },
            { key: "caught", title: "errors caught", numeric: true, cell: (point) => percent(point.caught) },
            {
              ...{ key: "errors", title: `of ${count(errors)}`, hint: "errors among them", numeric: true },
              cell: (point) => count(Math.round(point.caught * errors)),
            },
          ]}
        />
      }
    />
  );
}
