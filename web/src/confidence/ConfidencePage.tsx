import Container from "@cloudscape-design/components/container";
import Header from "@cloudscape-design/components/header";
import { useEffect, useRef } from "react";
import type { About, StudioData } from "../data/interface";
import type { ConfidencePage as Answers, FieldCalibration } from "../data/types";
import { count, counted, percent } from "../format/numbers";
import { Answered } from "../parts/Answered";
import { Name, PathName } from "../parts/Text";
import type { TabProps } from "../run/RunPage";
import { fieldIn, REVIEW_SHARE } from "../state/confidence";
import { useAddress, useChoices } from "../state/useAddress";
import { useAnswer } from "../state/useAnswer";
import { ALL, Chooser } from "./Chooser";
import { ConfidenceFields } from "./ConfidenceFields";
import { FieldFigures } from "./FieldFigures";
import { Reading } from "./Reading";
import { Reliability } from "./Reliability";
import { Review } from "./Review";
import { Risk } from "./Risk";

export type Choices = ReturnType<typeof useChoices>;

/** What the confidences of a run are worth, as a page of its own. */
export function ConfidencePage({ data, about }: { data: StudioData; about: About }) {
  const { chosen } = useAddress(["confidence"]);
  const answer = useAnswer("confidence", () => data.confidence());
  return (
    <Answered answer={answer}>
      {(answers) => (
        <>
          <header className="title">
            <h1>
              <Name text={about.title} breaks="/_" />
            </h1>
            <ul className="line">
              {covered(answers.calibration.pooled).map((text) => (
                <li key={text}>{text}</li>
              ))}
            </ul>
          </header>
          <Confidence answers={answers} chosen={chosen} canOpen={false} isAlone />
        </>
      )}
    </Answered>
  );
}

/** The same as a tab of the run. */
export function ConfidenceTab({ data, chosen, sums }: TabProps) {
  const answer = useAnswer("confidence", () => data.confidence());
  return (
    <Answered answer={answer}>
      {(answers) => <Confidence answers={answers} chosen={chosen} canOpen={sums.hasRows} />}
    </Answered>
  );
}

interface Props {
  answers: Answers;
  chosen: Readonly<Record<string, string>>;
  canOpen: boolean;
  /** Whether the page says above what is covered. */
  isAlone?: boolean;
}

function Confidence({ answers, chosen, canOpen, isAlone }: Props) {
  const choices = useChoices("confidence", chosen);
  const { now, choose } = choices;
  const { calibration } = answers;
  const of = fieldIn(answers, now.field);
  const share = of.figures.review.find((point) => String(point.share) === now.review)?.share ?? REVIEW_SHARE;
  const top = useRef<HTMLDivElement>(null);
  const last = useRef(of.name);
  useEffect(() => {
    if (last.current !== of.name) top.current?.scrollIntoView({ block: "start" });
    last.current = of.name;
  }, [of.name]);
  return (
    <div className="stack" ref={top}>
      <Container
        header={
          <Header variant="h2" description={isAlone && of.name === null ? undefined : covered(of.figures).join(" · ")}>
            {of.name === null ? ALL : <PathName path={of.name} />}
          </Header>
        }
      >
        <Chooser answers={answers} now={now} choose={choose} name={of.name} />
        <FieldFigures
          of={of}
          target={calibration.target_error}
          share={share}
          onShare={(next) => choose({ review: next === REVIEW_SHARE ? undefined : String(next) })}
          canOpen={canOpen}
        />
        <div className="charts">
          <Reliability field={of.figures} />
          <Review field={of.figures} share={share} />
          <Risk field={of.figures} target={calibration.target_error} />
        </div>
      </Container>
      <ConfidenceFields calibration={calibration} choices={choices} shown={of.name} />
      <Reading calibration={calibration} />
    </div>
  );
}

/** How many values carry a confidence. */
function covered(of: FieldCalibration): string[] {
  return [
    counted(of.documents, "document"),
    `${counted(of.n, "value")} with a confidence, ${percent(of.coverage)} of ${count(of.predicted)} predicted`,
    of.missed ? `${counted(of.missed, "missed value")} without one` : "no missed value",
  ];
}
