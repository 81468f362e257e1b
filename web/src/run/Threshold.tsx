import Alert from "@cloudscape-design/components/alert";
import Container from "@cloudscape-design/components/container";
import FormField from "@cloudscape-design/components/form-field";
import Header from "@cloudscape-design/components/header";
import Select from "@cloudscape-design/components/select";
import Slider from "@cloudscape-design/components/slider";
import type { FieldMetrics, ThresholdCurve } from "../data/types";
import { counted, number } from "../format/numbers";
import { plainPath } from "../format/text";
import { WORDS } from "../format/words";
import { Answered } from "../parts/Answered";
import { CurvePlot } from "../parts/CurvePlot";
import { PathName } from "../parts/Text";
import { ThresholdTable } from "../parts/ThresholdTable";
import { atThreshold, STEPS } from "../state/curves";
import { useChoices } from "../state/useAddress";
import { useAnswer } from "../state/useAnswer";
import type { TabProps } from "./RunPage";

/** A slider on a field: its counts and F1 at another threshold, at once. */
export function Threshold({ data, sums, chosen }: TabProps) {
  const answer = useAnswer("curves", () => data.curves());
  const { now, choose, type } = useChoices("threshold", chosen);
  return (
    <Answered answer={answer}>
      {(curves) => {
        const curve = curves.find((curve) => curve.field === now.field) ?? worst(curves, sums.metrics.fields);
        const row = curve && sums.metrics.fields[curve.field];
        if (!curve || !row) {
          return (
            <Alert type="info" header="No threshold to move">
              Every score of this run is 0 or 1, so every threshold above 0 gives the same counts.
            </Alert>
          );
        }
        const at = stepIn(now.at) ?? Math.round(curve.threshold * STEPS);
        return (
          <Container
            header={
              <Header variant="h2" description={WORDS.notes.threshold}>
                Threshold
              </Header>
            }
          >
            {now.field && now.field !== curve.field && (
              <p className="quiet">
                The field <PathName path={now.field} /> has no threshold to move; this is the one with the most
                mismatches.
              </p>
            )}
            <div className="filters">
              <FormField label="Field" description="those whose comparator gives scores between 0 and 1">
                <Select
                  selectedOption={{ value: curve.field, label: plainPath(curve.field) }}
                  options={curves.map(({ field }) => ({ value: field, label: plainPath(field) }))}
                  onChange={({ detail }) => choose({ field: detail.selectedOption.value, at: undefined })}
                />
              </FormField>
              <div className="slider">
                <FormField label={`Threshold ${number(at / STEPS)}; in this run ${number(curve.threshold)}`}>
                  <div className="track">
                    <Slider
                      ariaLabel={`Threshold of ${plainPath(curve.field)}, in hundredths`}
                      min={0}
                      max={STEPS}
                      value={at}
                      valueFormatter={(value) => number(value / STEPS)}
                      onChange={({ detail }) => type({ field: curve.field, at: String(detail.value) })}
                    />
                  </div>
                </FormField>
              </div>
            </div>
            <div className="two">
              <ThresholdTable at={at / STEPS} found={atThreshold(curve, row, at)} own={row} />
              <CurvePlot curve={curve} row={row} at={at} />
            </div>
            <p className="quiet small">
              {counted(curve.both, "value")} on both sides. {WORDS.notes.pairing}
            </p>
          </Container>
        );
      }}
    </Answered>
  );
}

/** A step of the slider, as an address has it; undefined for anything else. */
export function stepIn(text: string | undefined): number | undefined {
  const step = Number(text || Number.NaN);
  return Number.isInteger(step) && step >= 0 && step <= STEPS ? step : undefined;
}

function worst(curves: ThresholdCurve[], fields: Record<string, FieldMetrics>): ThresholdCurve | undefined {
  return curves.toSorted((a, b) => (fields[b.field]?.fd ?? 0) - (fields[a.field]?.fd ?? 0))[0];
}
