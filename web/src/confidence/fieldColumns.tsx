import type { Calibration, FieldCalibration } from "../data/types";
import { count, interval, number, percent, points, rate, wholePercent } from "../format/numbers";
import { DASH, filled, titled, WORDS } from "../format/words";
import type { Column } from "../parts/DataTable";
import { boundsOf } from "../parts/Figures";
import { PathName } from "../parts/Text";
import { writeAddress } from "../state/address";
import { caughtAt, REVIEW_SHARE } from "../state/confidence";
import type { Choices } from "./ConfidencePage";

/** The columns of the fields, with the numbers that their titles name. */
export function columnsOf(calibration: Calibration, now: Choices["now"]): Column<FieldCalibration>[] {
  const places = {
    bins: String(calibration.bins),
    review: wholePercent(REVIEW_SHARE),
    target: wholePercent(calibration.target_error),
  };
  const as = (key: string) => {
    const { title, hint } = titled("calibration", key);
    return { key, title: filled(title, places), hint: hint && filled(hint, places) };
  };
  const figure = (key: string, cell: Column<FieldCalibration>["cell"], sorts: "up" | "down" = "down") => ({
    ...{ ...as(key), numeric: true, sorts, cell },
  });
  return [
    { ...as("field"), title: "field", head: true, sorts: "up", cell: (field) => <FieldLink field={field} now={now} /> },
    figure("ece", (field) => (
      <>
        {rate(field.ece)}
        <small className="bounds" title="what chance alone gives with so many values">
          chance {rate(field.ece_by_chance)}
        </small>
      </>
    )),
    figure("points", (field) => points(field.signed_error, 1)),
    figure("accuracy", (field) => rate(field.accuracy), "up"),
    figure("confidence", (field) => rate(field.mean_confidence), "up"),
    figure("coverage", (field) => percent(field.coverage), "up"),
    figure("n", (field) => count(field.n)),
    figure("auroc", (field) => <Auroc field={field} />, "up"),
    figure("caught", (field) => percent(caughtAt(field, REVIEW_SHARE)), "up"),
    figure("accept", (field) => <Accept field={field} />, "up"),
  ];
}

function FieldLink({ field, now }: { field: FieldCalibration; now: Choices["now"] }) {
  return (
    <>
      <a href={writeAddress("confidence", { ...now, field: field.name })}>
        <PathName path={field.name} />
      </a>{" "}
      {field.n < WORDS.few_values.below && (
        <span className="tag" title={WORDS.few_values.note.slice(2)}>
          few values
        </span>
      )}
    </>
  );
}

function Auroc({ field: { auroc, undefined: why } }: { field: FieldCalibration }) {
  if (!auroc) return <Undefined why={why.auroc} />;
  const bounds = boundsOf(auroc);
  return (
    <>
      {rate(auroc.value)}
      <small className="bounds" title={why.auroc_interval}>
        {bounds ? interval(bounds) : "no interval"}
      </small>
    </>
  );
}

function Accept({ field: { acceptance, undefined: why } }: { field: FieldCalibration }) {
  if (!acceptance) return <Undefined why={why.acceptance} />;
  return (
    <>
      {number(acceptance.chosen.threshold)}
      <small className="bounds">{percent(acceptance.chosen.coverage)} of values</small>
    </>
  );
}

function Undefined({ why }: { why: string | undefined }) {
  return (
    <span className="quiet" title={why}>
      {DASH}
    </span>
  );
}
