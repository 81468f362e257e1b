import type { ReactNode } from "react";
import type { FieldCalibration } from "../data/types";
import { chance, count, counted, fixed, number, percent, rate, wholePercent } from "../format/numbers";
import { DASH, filled, WORDS } from "../format/words";
import { Choice } from "../parts/Choice";
import { Bounds } from "../parts/Figures";
import { writeAddress } from "../state/address";
import { caughtAt, type OfField } from "../state/confidence";

interface Props {
  of: OfField;
  target: number;
  share: number;
  onShare: (share: number) => void;
  /** Whether the errors of the run are here, too. */
  canOpen: boolean;
}

/** The figures of a field, or of all fields, and what they mean. */
export function FieldFigures({ of: { figures, words, name }, target, share, onShare, canOpen }: Props) {
  return (
    <>
      <div className="top">
        <div className="headline">
          <h3>Calibration error (ECE)</h3>
          <p className="figure">{rate(figures.ece)}</p>
          <p>
            <b>{words.leaning}</b>
          </p>
          <p className="quiet">
            Chance alone gives {rate(figures.ece_by_chance)} with {counted(figures.n, "value")}; p ={" "}
            {chance(figures.ece_p)}.
          </p>
        </div>
        <Cards field={figures} share={share} target={target} name={name} canOpen={canOpen} />
      </div>
      <div className="told">
        {figures.review.length > 0 && (
          <Choice
            label="Share of values to review, least confident first"
            value={String(share)}
            options={figures.review.map((point) => ({ id: String(point.share), text: wholePercent(point.share) }))}
            onChange={(next) => onShare(Number(next))}
          />
        )}
        <p aria-live="polite">{reviewWords(figures, share)}</p>
        <p>{words.accept}</p>
        {words.bare && <p className="quiet">{words.bare}</p>}
      </div>
    </>
  );
}

export function reviewWords(field: FieldCalibration, share: number): string {
  const caught = caughtAt(field, share);
  if (caught === null) return WORDS.notes.no_errors;
  return filled(WORDS.notes.review, { share: wholePercent(share), caught: percent(caught) });
}

type CardsProps = Pick<Props, "share" | "target" | "canOpen"> & { field: FieldCalibration; name: string | null };

function Cards({ field, share, target, name, canOpen }: CardsProps) {
  const { brier, auroc, acceptance, undefined: why } = field;
  const wrong = `${count(field.n - field.right)} of ${counted(field.n, "value")} wrong`;
  const outcome = { field: name ?? undefined, outcome: "mismatch,spurious" };
  return (
    <dl className="cards">
      <Card title="Right" figure={rate(field.accuracy)}>
        {canOpen && field.right < field.n ? (
          <a className="underlined" href={writeAddress("errors", outcome)}>
            {wrong}
          </a>
        ) : (
          wrong
        )}
        <br />
        mean confidence {rate(field.mean_confidence)}
      </Card>
      <Card title="AUROC" figure={rate(auroc?.value)}>
        {auroc && auroc.low !== null && <Bounds of={auroc} />}
        {why.auroc ?? (why.auroc_interval && `no interval: ${why.auroc_interval}`)}
      </Card>
      <Card title={`Errors caught at ${wholePercent(share)}`} figure={percent(caughtAt(field, share))}>
        {why.review ?? `average precision of errors ${rate(field.error_average_precision)}`}
      </Card>
      <Card title="Accept from" figure={number(acceptance?.chosen.threshold)}>
        {acceptance
          ? `${percent(acceptance.chosen.coverage)} of values, at most ${percent(acceptance.chosen.upper)} wrong`
          : `not shown for at most ${wholePercent(target)} wrong`}
      </Card>
      <Card title="ECE, equal mass" figure={rate(field.ece_equal_mass)}>
        largest error of a bin {rate(field.mce)}
      </Card>
      <Card title="Brier score" figure={rate(brier?.score)}>
        {brier &&
          `reliability ${fixed(brier.reliability, 4)}, resolution ${fixed(brier.resolution, 4)}, uncertainty ${fixed(brier.uncertainty, 4)}`}
      </Card>
      <Card title="Log loss" figure={rate(field.log_loss)}>
        {why.log_loss ?? ""}
      </Card>
      <Card
        title="Spiegelhalter’s z"
        figure={field.spiegelhalter_z === null ? DASH : fixed(field.spiegelhalter_z, 2).replace("-", "−")}
      >
        {why.spiegelhalter_z ?? "beyond ±2: not true, if values were independent"}
      </Card>
    </dl>
  );
}

function Card({ title, figure, children }: { title: string; figure: string; children: ReactNode }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        <span className="figure">{figure}</span>
        <small className="quiet">{children}</small>
      </dd>
    </div>
  );
}
