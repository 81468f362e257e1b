import ExpandableSection from "@cloudscape-design/components/expandable-section";
import type { ReactNode } from "react";
import { tick } from "../format/numbers";

const [LEFT, RIGHT, TOP, BOTTOM] = [54, 22, 12, 44];
const TICKS = [0, 0.25, 0.5, 0.75, 1];

/** Where numbers are in a drawing. */
export interface Scale {
  x: (value: number) => number;
  y: (value: number) => number;
  left: number;
  right: number;
  top: number;
  /** The lower end of the axis, and that of the room below it. */
  bottom: number;
  floor: number;
}

interface Props {
  /** What it shows, in words. */
  label: string;
  xTitle: string;
  yTitle: string;
  width?: number;
  height?: number;
  /** Room below the axis. */
  below?: number;
  yLow?: number;
  yTop?: number;
  yTicks?: readonly number[];
  yNames?: readonly string[];
  isPercent?: boolean;
  children: (scale: Scale) => ReactNode;
}

/** A drawing with axes; the horizontal one runs from 0 to 1. */
export function Plot({ label, xTitle, yTitle, children, ...more }: Props) {
  const { width = 300, height = 236, below = 0, yLow = 0, yTop = 1, isPercent } = more;
  const { yTicks = TICKS.map((share) => yLow + (yTop - yLow) * share), yNames } = more;
  const [bottom, right] = [TOP + height, LEFT + width];
  const floor = bottom + below;
  const scale: Scale = {
    x: (value) => LEFT + width * value,
    y: (value) => TOP + (height * (yTop - Math.min(Math.max(value, yLow), yTop))) / (yTop - yLow),
    ...{ left: LEFT, right, top: TOP, bottom, floor },
  };
  return (
    <svg className="plot" viewBox={`0 0 ${right + RIGHT} ${floor + BOTTOM}`} role="img" aria-label={label}>
      {yTicks.map((place, k) => (
        <g key={place}>
          <line x1={LEFT} x2={right} y1={scale.y(place)} y2={scale.y(place)} />
          <text className="left" x={LEFT - 7} y={scale.y(place) + 4}>
            {yNames?.[k] ?? tick(place, isPercent)}
          </text>
        </g>
      ))}
      {TICKS.map((share) => (
        <text key={share} x={scale.x(share)} y={floor + 17}>
          {tick(share, isPercent)}
        </text>
      ))}
      {children(scale)}
      <text x={LEFT + width / 2} y={floor + 36}>
        {xTitle}
      </text>
      <text transform={`translate(13 ${TOP + height / 2}) rotate(-90)`}>{yTitle}</text>
    </svg>
  );
}

export function Line({ scale, points, look }: { scale: Scale; points: readonly (readonly number[])[]; look: string }) {
  const places = points.map(([x = 0, y = 0]) => `${scale.x(x).toFixed(1)},${scale.y(y).toFixed(1)}`);
  return <polyline className={look} points={places.join(" ")} />;
}

/** A dot that says what it is when pointed at. */
export function Mark({ x, y, words, look = "mark" }: { x: number; y: number; words: string; look?: string }) {
  return (
    <g>
      <circle className={look} cx={x} cy={y} r="4" />
      <circle className="area" cx={x} cy={y} r="11" />
      <title>{words}</title>
    </g>
  );
}

/** A drawing with its title, what its lines are, and the numbers behind it as a table. */
export function Chart({ title, drawing, note, numbers }: Record<"title" | "drawing" | "note" | "numbers", ReactNode>) {
  return (
    <figure className="chart">
      <figcaption>{title}</figcaption>
      {drawing}
      <div className="quiet small">{note}</div>
      <ExpandableSection headerText="Numbers" headerAriaLabel={`Numbers of the chart: ${title}`}>
        {numbers}
      </ExpandableSection>
    </figure>
  );
}
