import type { Sweep, SweepPoint } from "../data/types";
import { number, rate } from "../format/numbers";
import { WORDS } from "../format/words";
import { boundsOf } from "../parts/Figures";
import { Chart, Line, Mark, Plot, type Scale } from "../parts/Plot";
import { lowest, RATES } from "../state/sweep";
import { PointTable } from "./PointTable";

/** Every rate by threshold, strict F1 with its interval. */
export function RatesPlot({ sweep, at }: { sweep: Sweep; at: SweepPoint }) {
  const said = sweep.points.map((point) => `${number(point.threshold)}: ${rate(point.rates.strict_f1.value)}`);
  return (
    <Chart
      title="Rates by threshold"
      drawing={
        <Plot
          label={`F1 (strict) by threshold. ${said.join("; ")}`}
          xTitle="threshold"
          yTitle="rate"
          width={330}
          height={250}
          yLow={lowest(sweep)}
        >
          {(scale) => (
            <>
              <Band sweep={sweep} scale={scale} />
              <Current threshold={sweep.threshold} scale={scale} y={scale.bottom - 8} />
              {RATES.toReversed().map((name) => (
                <Line key={name} scale={scale} points={lineOf(sweep, name)} look={`line ${name}`} />
              ))}
              <Mark
                x={scale.x(at.threshold)}
                y={scale.y(at.rates.strict_f1.value ?? 0)}
                words={`F1 (strict) ${rate(at.rates.strict_f1.value)} at ${number(at.threshold)}`}
                look="mark chosen"
              />
            </>
          )}
        </Plot>
      }
      note={
        <ul className="key">
          {RATES.map((name) => (
            <li key={name}>
              <svg className="plot sample" viewBox="0 0 30 8" aria-hidden="true">
                <polyline className={`line ${name}`} points="0,4 30,4" />
              </svg>{" "}
              {WORDS.metrics[name]}
              {name === "strict_f1" && ", with its 95% interval"}
            </li>
          ))}
        </ul>
      }
      numbers={<PointTable sweep={sweep} at={at} isShort />}
    />
  );
}

function lineOf({ points }: Sweep, name: (typeof RATES)[number]): [number, number][] {
  return points.flatMap(({ threshold, rates }): [number, number][] => {
    const { value } = rates[name];
    return value === null ? [] : [[threshold, value]];
  });
}

function Band({ sweep, scale }: { sweep: Sweep; scale: Scale }) {
  const known = sweep.points.flatMap(({ threshold, rates }): [number, number, number][] => {
    const bounds = boundsOf(rates.strict_f1);
    return bounds ? [[threshold, ...bounds]] : [];
  });
  const around = [...known.map(([x, low]) => [x, low]), ...known.toReversed().map(([x, , high]) => [x, high])];
  const places = around.map(([x = 0, y = 0]) => `${scale.x(x).toFixed(1)},${scale.y(y).toFixed(1)}`);
  return <polygon className="band" points={places.join(" ")} />;
}

/** The threshold of the run, written on the side that has room. */
export function Current({ threshold, scale, y }: { threshold: number; scale: Scale; y: number }) {
  const x = scale.x(threshold);
  const isLeft = threshold < 0.5;
  return (
    <>
      <line className="own" x1={x} x2={x} y1={scale.top} y2={scale.bottom} />
      <text className={isLeft ? "start" : "left"} x={x + (isLeft ? 6 : -6)} y={y}>
        current {number(threshold)}
      </text>
    </>
  );
}
