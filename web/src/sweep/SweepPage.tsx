import Container from "@cloudscape-design/components/container";
import FormField from "@cloudscape-design/components/form-field";
import Header from "@cloudscape-design/components/header";
import Slider from "@cloudscape-design/components/slider";
import type { About, StudioData } from "../data/interface";
import type { SweepPage as Answers, Rate, Sweep, SweepPoint } from "../data/types";
import { counted, interval, number, rate } from "../format/numbers";
import { plainPath } from "../format/text";
import { grade, gradeSymbol, WORDS } from "../format/words";
import { Answered } from "../parts/Answered";
import { Bar, Bounds } from "../parts/Figures";
import { Name, Shown } from "../parts/Text";
import { ThresholdTable } from "../parts/ThresholdTable";
import { pointAt, RATES } from "../state/sweep";
import { useAddress, useChoices } from "../state/useAddress";
import { useAnswer } from "../state/useAnswer";
import { Nearest } from "./Nearest";
import { PointTable } from "./PointTable";
import { RatesPlot } from "./RatesPlot";
import { Reading } from "./Reading";
import { ScoresPlot } from "./ScoresPlot";

/** A field at many thresholds. */
export function SweepPage({ data, about }: { data: StudioData; about: About }) {
  const { chosen } = useAddress(["sweep"]);
  const answer = useAnswer("sweep", () => data.sweep());
  return (
    <Answered answer={answer}>
      {(answers) => (
        <>
          <header className="title">
            <h1>
              <Name text={about.title} />
            </h1>
            <ul className="line">
              <li>{counted(answers.sweep.documents, "document")}</li>
              <li>{counted(answers.sweep.swept, "value with a score", "values with a score")}</li>
              <li>
                <Shown text={answers.sweep.comparator} />
              </li>
            </ul>
          </header>
          <Content answers={answers} chosen={chosen} />
        </>
      )}
    </Answered>
  );
}

function Content({ answers, chosen }: { answers: Answers; chosen: Readonly<Record<string, string>> }) {
  const { sweep, best, unchanged } = answers;
  const { now, type } = useChoices("sweep", chosen);
  const [at, own] = [pointAt(sweep, now.at), pointAt(sweep, undefined)];
  if (!at || !own) return null;
  return (
    <div className="stack">
      <Container>
        <Figures sweep={sweep} own={own} />
        <div className="told">
          <p>
            <b>{best}</b>
          </p>
          <p>{WORDS.notes.threshold}</p>
          <p className="quiet">
            {unchanged[0]?.toUpperCase()}
            {unchanged.slice(1)}. {WORDS.notes.pairing}
          </p>
        </div>
      </Container>
      <Container header={<Header variant="h2">At another threshold</Header>}>
        {sweep.points.length > 1 && (
          <div className="slider">
            <FormField label={`Threshold ${number(at.threshold)}; in this run ${number(sweep.threshold)}`}>
              <div className="track">
                <Slider
                  ariaLabel={`Threshold of ${plainPath(sweep.field)}`}
                  min={0}
                  max={sweep.points.length - 1}
                  value={sweep.points.indexOf(at)}
                  valueFormatter={(k) => number(sweep.points[k]?.threshold)}
                  onChange={({ detail }) => type({ at: String(sweep.points[detail.value]?.threshold) })}
                />
              </div>
            </FormField>
          </div>
        )}
        <div className="charts">
          <ThresholdTable at={at.threshold} found={at} own={own} />
          <RatesPlot sweep={sweep} at={at} />
          <ScoresPlot sweep={sweep} />
        </div>
      </Container>
      <Nearest sweep={sweep} />
      <Container
        header={
          <Header variant="h2" description={counted(sweep.points.length, "threshold")}>
            Thresholds
          </Header>
        }
      >
        <PointTable sweep={sweep} at={at} />
      </Container>
      <Reading />
    </div>
  );
}

/** The rates at the threshold of the run. */
function Figures({ sweep, own }: { sweep: Sweep; own: SweepPoint }) {
  const { strict_f1: strict } = own.rates;
  const [, ...others] = RATES;
  return (
    <div className="top">
      <div className={`headline ${grade(strict.value)}`}>
        <h2>F1 (strict) at the current {number(sweep.threshold)}</h2>
        <p className="figure">
          {rate(strict.value)} <i title={grade(strict.value)}>{gradeSymbol(strict.value)}</i>
        </p>
        <Bar of={strict} />
        <p>
          <Bounds of={strict} write={(bounds) => `95% interval ${interval(bounds)}`} />
        </p>
      </div>
      <dl className="cards">
        {others.map((name) => (
          <Card key={name} title={WORDS.metrics[name]} of={own.rates[name]} />
        ))}
      </dl>
    </div>
  );
}

function Card({ title, of }: { title: string; of: Rate }) {
  return (
    <div>
      <dt>{title[0]?.toUpperCase() + title.slice(1)}</dt>
      <dd>
        <span className="figure">{rate(of.value)}</span>
        <Bounds of={of} />
        <small className="quiet">{counted(of.n ?? 0, "document")}</small>
      </dd>
    </div>
  );
}
