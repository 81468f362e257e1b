import { count, counted, number } from "../format/numbers";

const [WIDTH, HEIGHT, LEFT, TOP, BOTTOM] = [330, 150, 44, 10, 40];

/** How many documents have which score, in equal steps from 0 to 1; the table behind it is for those who listen. */
export function Histogram({ counts, documents }: { counts: number[]; documents: number }) {
  const scored = counts.reduce((sum, n) => sum + n, 0);
  if (!scored) return <p className="quiet">No document has a score.</p>;
  const top = roundUp(Math.max(...counts));
  const words = counts.map((n, k) => (n ? `${range(k, counts.length)}: ${count(n)}` : "")).filter(Boolean);
  return (
    <figure>
      <svg
        className="plot"
        viewBox={`0 0 ${LEFT + WIDTH + 10} ${TOP + HEIGHT + BOTTOM}`}
        role="img"
        aria-label={`Documents by score. ${words.join("; ")}`}
      >
        {[0, top / 2, top].map((mark) => (
          <g key={mark}>
            <line x1={LEFT} x2={LEFT + WIDTH} y1={y(mark, top)} y2={y(mark, top)} />
            <text className="left" x={LEFT - 8} y={y(mark, top) + 4}>
              {count(mark)}
            </text>
          </g>
        ))}
        {counts.map((n, k) => (
          <Column key={k} at={k} n={n} steps={counts.length} top={top} />
        ))}
        {[0, 0.2, 0.4, 0.6, 0.8, 1].map((tick) => (
          <text key={tick} x={LEFT + WIDTH * tick} y={TOP + HEIGHT + 17}>
            {tick}
          </text>
        ))}
        <text x={LEFT + WIDTH / 2} y={TOP + HEIGHT + 34}>
          score of the document
        </text>
      </svg>
      {documents > scored && <p className="quiet">{counted(documents - scored, "document")} without a score.</p>}
    </figure>
  );
}

function Column({ at, n, steps, top }: { at: number; n: number; steps: number; top: number }) {
  const width = WIDTH / steps;
  const height = n ? Math.max((HEIGHT * n) / top, 2) : 0; // a single document among thousands is still seen
  return (
    <g>
      <title>{`score ${range(at, steps)}: ${counted(n, "document")}`}</title>
      <rect className="column" x={LEFT + at * width + 1} y={TOP + HEIGHT - height} width={width - 2} height={height} />
    </g>
  );
}

function y(mark: number, top: number): number {
  return TOP + HEIGHT * (1 - mark / top);
}

function range(at: number, steps: number): string {
  const [low, high] = [number(at / steps, 4), number((at + 1) / steps, 4)];
  return at + 1 === steps ? `${low} to ${high}` : `${low} to below ${high}`;
}

/** A round number that is not much larger, even if small, so that its half is one too. */
function roundUp(value: number): number {
  if (value < 10) return value + (value % 2);
  const power = 10 ** (String(value).length - 2);
  const step = [10, 12, 16, 20, 24, 30, 40, 50, 60, 80, 100].find((step) => step * power >= value);
  return (step ?? 100) * power;
}
