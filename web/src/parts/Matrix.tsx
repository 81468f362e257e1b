import { countAt, type Drawn, drawn, isClass, level, MAX_DRAWN, rowSum, STRENGTHS } from "../data/matrix";
import type { Confusion } from "../data/types";
import { count, counted, share } from "../format/numbers";
import { plain } from "../format/text";
import { Shown } from "./Text";

/** A matrix of so many labels leaves room beside it. */
export const MAX_BESIDE = 10;

const MAX_NAME = 28;
const DENSE = 22;

interface Props {
  matrix: Confusion;
  /** What is counted: a row, a section. */
  noun: string;
  hrefOf: (expected: number, predicted: number) => string;
  chosen?: { expected?: number | undefined; predicted?: number | undefined };
}

/** How often which class met which: expected down, predicted across; a cell opens to what it counts. */
export function Matrix({ matrix, noun, hrefOf, chosen }: Props) {
  const places = drawn(matrix);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys */}
      <section className="scroll" aria-label="Expected against predicted" tabIndex={0}>
        <table className={`matrix ${places.across.length > DENSE ? "dense" : ""}`}>
          <caption className="heard">Expected against predicted</caption>
          <Head matrix={matrix} places={places} noun={noun} />
          <tbody>
            {places.down.map((expected) => (
              <tr key={expected}>
                <th scope="row" title={plain(matrix.labels[expected] ?? "")}>
                  <Short name={matrix.labels[expected] ?? ""} />
                </th>
                {places.across.map((predicted) => (
                  <Cell
                    key={predicted}
                    {...{ matrix, expected, predicted }}
                    href={hrefOf(expected, predicted)}
                    isChosen={chosen?.expected === expected && chosen.predicted === predicted}
                  />
                ))}
                <td className="total">{count(rowSum(matrix, expected))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <Scale />
      {matrix.labels.length > MAX_DRAWN && (
        <p className="quiet small">
          The {MAX_DRAWN} of {counted(matrix.labels.length, "class", "classes")} with the most {noun}s.
        </p>
      )}
    </>
  );
}

function Head({ matrix, places, noun }: { matrix: Confusion; places: Drawn; noun: string }) {
  return (
    <thead>
      <tr>
        <td className="axis">expected ↓ predicted →</td>
        {places.across.map((place) => (
          <th key={place} scope="col" title={plain(matrix.labels[place] ?? "")}>
            <span className="turned">
              <Short name={matrix.labels[place] ?? ""} />
            </span>
          </th>
        ))}
        <th scope="col" className="total">
          {noun}s
        </th>
      </tr>
    </thead>
  );
}

interface CellProps {
  matrix: Confusion;
  expected: number;
  predicted: number;
  href: string;
  isChosen: boolean;
}

function Cell({ matrix, expected, predicted, href, isChosen }: CellProps) {
  const n = countAt(matrix, expected, predicted);
  const whole = rowSum(matrix, expected);
  const look = expected === predicted && isClass(matrix, expected) ? "right" : "";
  if (!n) return <td className={`none ${look}`}>·</td>;
  const [one = "", other = ""] = [matrix.labels[expected], matrix.labels[predicted]];
  const words = plain(`expected ${one}, predicted ${other}: ${count(n)}, ${share(n, whole)} of ${one}`);
  return (
    <td className={`h${level(n / whole)} ${look}`}>
      <a href={href} title={words} aria-label={words} aria-current={isChosen || undefined}>
        {count(n)}
      </a>
    </td>
  );
}

function Scale() {
  return (
    <p className="scale small quiet" aria-hidden="true">
      <span>0%</span>
      {Array.from({ length: STRENGTHS }, (_, k) => (
        <i key={k} className={`h${k + 1}`} />
      ))}
      <span>100% of the expected class</span>
      <i className="right" />
      <span>right</span>
    </p>
  );
}

function Short({ name }: { name: string }) {
  const text = [...name].length > MAX_NAME ? `${[...name].slice(0, MAX_NAME - 1).join("")}…` : name;
  return (
    <bdi>
      <Shown text={text || "empty text"} />
    </bdi>
  );
}
