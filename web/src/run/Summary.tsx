import Container from "@cloudscape-design/components/container";
import Header from "@cloudscape-design/components/header";
import { useMemo } from "react";
import type { Rate } from "../data/types";
import { count, counted, interval, percent, percentInterval, rate } from "../format/numbers";
import { grade, gradeSymbol } from "../format/words";
import { Bar, Bounds, unitsOf } from "../parts/Figures";
import { Histogram } from "../parts/Histogram";
import { Notes } from "../parts/Notes";
import { OutcomeBar } from "../parts/Outcomes";
import { fieldRows, isSeen, sortFields } from "../state/fields";
import { AllRight } from "./AllRight";
import { Failures } from "./Failures";
import { FieldTable } from "./FieldTable";
import { Kinds } from "./Kinds";
import { Reading } from "./Reading";
import type { TabProps } from "./RunPage";

const WORST = 8;
const NOT_ADDED = "not in results that are added up";

export function Summary({ sums }: TabProps) {
  const { metrics, rules, hasRows } = sums;
  const worst = useMemo(() => {
    const rows = fieldRows(metrics, rules).filter((row) => isSeen(row) && row.lost > 0);
    return sortFields(rows, "lost", true).slice(0, WORST);
  }, [metrics, rules]);
  const failures = metrics.errors ?? [];
  return (
    <div className="stack">
      <Container>
        <div className="top">
          <Headline sums={sums} />
          <Cards sums={sums} />
        </div>
        <OutcomeBar metrics={metrics.aggregate} canOpen={hasRows} />
        <Notes sentences={sums.notes} />
      </Container>
      <Container
        header={
          <Header variant="h2" description="By lost points: wrong values times the weight of their field">
            Where most is lost
          </Header>
        }
      >
        {worst.length ? (
          <FieldTable label="Worst fields" rows={worst} canOpen={hasRows} columns="few" />
        ) : (
          <AllRight sums={sums} />
        )}
      </Container>
      <div className="two">
        <Kinds metrics={metrics} />
        <Container header={<Header variant="h2">How documents score</Header>}>
          <Histogram counts={metrics.document_metrics?.score_histogram ?? []} documents={metrics.document_count} />
        </Container>
      </div>
      {failures.length > 0 && (
        <Failures failures={failures} total={metrics.error_count ?? failures.length} canOpen={!sums.countsOnly} />
      )}
      <Reading />
    </div>
  );
}

function Headline({ sums: { metrics } }: { sums: TabProps["sums"] }) {
  const { strict_f1: strict, f1 } = metrics.aggregate.rates;
  return (
    <div className={`headline ${grade(strict.value)}`}>
      <h2>F1 (strict)</h2>
      <p className="figure">
        {rate(strict.value)} <i title={grade(strict.value)}>{gradeSymbol(strict.value)}</i>
      </p>
      <Bar of={strict} />
      <p>
        <Bounds of={strict} write={(bounds) => `95% interval ${interval(bounds)}`} />
      </p>
      <p className="quiet">over {unitsOf(strict.n ?? 0, strict.unit)}</p>
      {f1.value !== null && f1.value !== strict.value && (
        <p className="quiet">F1 is {rate(f1.value)} if a wrong value is not also counted as missed.</p>
      )}
    </div>
  );
}

function Cards({ sums: { metrics, countsOnly } }: { sums: TabProps["sums"] }) {
  const { rates } = metrics.aggregate;
  const of = metrics.document_metrics ?? {};
  const exact: Rate = of.exact_rate ?? { value: null };
  const weighted = of.mean_overall_score ?? of.weighted_score ?? { value: null };
  const macro = metrics.field_macro?.strict_f1;
  return (
    <dl className="cards">
      <Card title="Precision" of={rates.precision} note="of predicted values are right" />
      <Card title="Strict recall" of={rates.strict_recall} note="of expected values are right" />
      <Card title="Detection recall" of={rates.recall} note="wrong values don’t lower it" />
      <Card
        title="Exact documents"
        of={exact}
        isShare
        note={`${count(of.exact_documents ?? 0)} of ${count(metrics.document_count)} without an error`}
      />
      <Card
        title="Mean F1 of documents"
        of={of.macro_strict_f1 ?? { value: null }}
        note={countsOnly ? NOT_ADDED : "every document weighs the same"}
      />
      <Card
        title={of.mean_overall_score ? "Mean overall score" : "Weighted score"}
        of={weighted}
        note={of.mean_overall_score ? "of the documents’ results" : "by the weights of the fields"}
      />
      <Card
        title="Mean F1 of fields"
        of={{ value: macro?.value ?? null }}
        note={countsOnly ? NOT_ADDED : `over ${counted(macro?.n ?? 0, "field")}`}
      />
      <div className={metrics.error_count ? "alarm" : ""}>
        <dt>Failures</dt>
        <dd>
          <span className="figure">{count(metrics.error_count ?? 0)}</span>
          <small className="quiet">{metrics.error_count ? "with reasons below" : "every document was read"}</small>
        </dd>
      </div>
    </dl>
  );
}

function Card({ title, of, note, isShare }: { title: string; of: Rate; note: string; isShare?: boolean }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        <span className="figure">{isShare ? percent(of.value) : rate(of.value)}</span>
        <Bounds of={of} write={isShare ? percentInterval : interval} />
        <small className="quiet">{note}</small>
      </dd>
    </div>
  );
}
