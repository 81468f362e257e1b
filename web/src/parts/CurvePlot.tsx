import type { FieldMetrics, ThresholdCurve } from "../data/types";
import { counted, number, rate } from "../format/numbers";
import { atThreshold, STEPS, scoreBins } from "../state/curves";

const [WIDTH, HEIGHT, LEFT, TOP, BOTTOM] = [330, 170, 40, 10, 40];
const x = (share: number) => LEFT + WIDTH * share;
const y = (share: number) => TOP + HEIGHT * (1 - share);

/** F1 (strict) over all thresholds, over the distribution of the scores. */
export function CurvePlot({ curve, row, at }: { curve: ThresholdCurve; row: FieldMetrics; at: number }) {
  const f1 = (k: number) => atThreshold(curve, row, k).rates.strict_f1.value ?? 0;
  const line = Array.from({ length: STEPS + 1 }, (_, k) => `${x(k / STEPS).toFixed(1)},${y(f1(k)).toFixed(1)}`);
  const bins = scoreBins(curve);
  const most = Math.max(...bins, 1);
  return (
    <figure>
      <svg
        className="plot"
        viewBox={`0 0 ${LEFT + WIDTH + 12} ${TOP + HEIGHT + BOTTOM}`}
        role="img"
        aria-label={`F1 (strict) is ${rate(f1(at))} at the threshold ${number(at / STEPS)}`}
      >
        {[0, 0.5, 1].map((mark) => (
          <g key={mark}>
            <line x1={LEFT} x2={LEFT + WIDTH} y1={y(mark)} y2={y(mark)} />
            <text className="left" x={LEFT - 8} y={y(mark) + 4}>
              {mark}
            </text>
          </g>
        ))}
        {bins.map((n, k) => (
          <g key={k}>
            <title>{`score from ${number(k / bins.length)}: ${counted(n, "value")}`}</title>
            <rect
              className="column soft"
              x={x(k / bins.length) + 1}
              y={y(Math.log1p(n) / Math.log1p(most))}
              width={WIDTH / bins.length - 2}
              height={(HEIGHT * Math.log1p(n)) / Math.log1p(most)}
            />
          </g>
        ))}
        <polyline className="curve" points={line.join(" ")} />
        <line className="own" x1={x(curve.threshold)} x2={x(curve.threshold)} y1={TOP} y2={TOP + HEIGHT} />
        <circle className="point" cx={x(at / STEPS)} cy={y(f1(at))} r="5" />
        {[0, 0.2, 0.4, 0.6, 0.8, 1].map((tick) => (
          <text key={tick} x={x(tick)} y={TOP + HEIGHT + 17}>
            {tick}
          </text>
        ))}
        <text x={x(0.5)} y={TOP + HEIGHT + 34}>
          threshold
        </text>
      </svg>
      <figcaption className="quiet small">
        Line: F1 (strict). Columns: values by score (log scale). Dotted: the threshold of this run.
      </figcaption>
    </figure>
  );
}
