import type { Bin, FieldCalibration } from "../data/types";
import { count, counted, interval, number, rate, shortCount } from "../format/numbers";
import { DataTable } from "../parts/DataTable";
import { boundsOf } from "../parts/Figures";
import { Chart, Line, Mark, Plot, type Scale } from "../parts/Plot";

const STRIP = 60;
/** Of more bins the numbers have no room. */
const MAX_NUMBERED = 12;

/** The share that is right by confidence, bin by bin, with intervals and the number of values. */
export function Reliability({ field }: { field: FieldCalibration }) {
  const said = field.bins.map((bin) => `${rate(bin.confidence)}: ${rate(bin.accuracy.value)} of ${count(bin.count)}`);
  return (
    <Chart
      title="Are the confidences true?"
      drawing={
        <Plot
          label={`Share right by confidence. ${said.join("; ")}`}
          xTitle="confidence, and values with it"
          yTitle="share that is right"
          below={STRIP}
        >
          {(scale) => (
            <>
              <Line scale={scale} points={[0, 1].map((end) => [end, end])} look="even" />
              {field.bins.map((bin) => (
                <Whisker key={bin.low} bin={bin} scale={scale} />
              ))}
              <Line
                scale={scale}
                points={field.bins.map((bin) => [bin.confidence, bin.accuracy.value ?? 0])}
                look="line thin"
              />
              {field.bins.map((bin) => (
                <Mark
                  key={bin.low}
                  x={scale.x(bin.confidence)}
                  y={scale.y(bin.accuracy.value ?? 0)}
                  words={wordsOf(bin)}
                />
              ))}
              <Strip bins={field.bins} scale={scale} />
            </>
          )}
        </Plot>
      }
      note="Dots on the dashed line are true; below it the confidence is too high. Bars are 95% intervals, columns count values."
      numbers={
        <DataTable
          label="Share right by confidence"
          rows={field.bins}
          keyOf={(bin) => String(bin.low)}
          columns={[
            { key: "bin", title: "bin", head: true, cell: (bin) => `${number(bin.low)} to ${number(bin.high)}` },
            { key: "n", title: "n", numeric: true, cell: (bin) => count(bin.count) },
            { key: "confidence", title: "confidence", numeric: true, cell: (bin) => rate(bin.confidence) },
            { key: "right", title: "right", numeric: true, cell: (bin) => rate(bin.accuracy.value) },
            { key: "interval", title: "95%", numeric: true, cell: (bin) => interval(boundsOf(bin.accuracy)) },
          ]}
        />
      }
    />
  );
}

function wordsOf({ count: n, confidence, accuracy }: Bin): string {
  const bounds = interval(boundsOf(accuracy));
  return `${counted(n, "value")}, mean confidence ${rate(confidence)}, right ${rate(accuracy.value)} (${bounds})`;
}

function Whisker({ bin, scale }: { bin: Bin; scale: Scale }) {
  const [low, high] = boundsOf(bin.accuracy) ?? [0, 1];
  const x = scale.x(bin.confidence);
  return <line className="whisker" x1={x} x2={x} y1={scale.y(low)} y2={scale.y(high)} />;
}

/** How many values each bin has, as columns below the axis. */
function Strip({ bins, scale }: { bins: readonly Bin[]; scale: Scale }) {
  const most = Math.max(...bins.map((bin) => bin.count), 1);
  return bins.map((bin) => {
    const height = Math.max(((STRIP - 24) * bin.count) / most, 1.5);
    const [left, right] = [scale.x(bin.low), scale.x(bin.high)];
    return (
      <g key={bin.low}>
        <rect
          className="column"
          x={left + 1}
          y={scale.floor - height}
          width={Math.max(right - left - 2, 1)}
          height={height}
        />
        {bins.length <= MAX_NUMBERED && (
          <text className="tiny" x={(left + right) / 2} y={scale.floor - height - 4}>
            {shortCount(bin.count)}
          </text>
        )}
      </g>
    );
  });
}
