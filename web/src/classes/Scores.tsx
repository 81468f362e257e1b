import Container from "@cloudscape-design/components/container";
import Header from "@cloudscape-design/components/header";
import type { ClassScores, Rate } from "../data/types";
import { counted, interval, rate, wholePercent } from "../format/numbers";
import { grade, gradeSymbol } from "../format/words";
import { Bar, Bounds, unitsOf } from "../parts/Figures";
import { MAX_BESIDE, Matrix } from "../parts/Matrix";
import { Notes } from "../parts/Notes";
import { writeAddress } from "../state/address";
import { readSorting, writeSorting } from "../state/sorting";
import { useChoices } from "../state/useAddress";
import type { ClassesProps } from "./ClassesPage";
import { CLASS_KEYS, type ClassLine, ClassTable } from "./ClassTable";
import { Confusions } from "./Confusions";
import { Reading } from "./Reading";

/** Accuracy and averages, the classes worst first, the matrix, and what was taken for what. */
export function Scores({ page, scores, chosen }: ClassesProps) {
  const { now, choose } = useChoices("classes", chosen);
  const matrix = scores.confusion_matrix;
  return (
    <div className="stack">
      <Container>
        <div className="top">
          <Headline scores={scores} />
          <Cards scores={scores} />
        </div>
        <Notes sentences={page.notes ?? []} />
      </Container>
      <Container header={<Header variant="h2">Classes</Header>}>
        <ClassTable
          noun="row"
          rows={linesOf(scores)}
          sorting={readSorting(now.sort, CLASS_KEYS)}
          onSort={(next) => choose({ sort: writeSorting(next) })}
        />
      </Container>
      <div className={matrix.labels.length <= MAX_BESIDE ? "two" : "stack"}>
        <Container
          header={
            <Header variant="h2" description="Expected down, predicted across; a cell opens to its rows">
              Confusion matrix
            </Header>
          }
        >
          <Matrix matrix={matrix} noun="row" hrefOf={rowsAt} />
        </Container>
        <Confusions matrix={matrix} hrefOf={rowsAt} />
      </div>
      <Reading />
    </div>
  );
}

function rowsAt(expected: number, predicted: number): string {
  return writeAddress("rows", { expected: String(expected), predicted: String(predicted) });
}

function linesOf({ classes }: ClassScores): ClassLine[] {
  return classes.map((row, place) => ({
    ...row,
    f1: { value: row.f1 },
    hrefs: {
      tp: writeAddress("rows", { expected: String(place), predicted: String(place) }),
      support: writeAddress("rows", { expected: String(place) }),
      predicted: writeAddress("rows", { predicted: String(place) }),
      fp: writeAddress("rows", { predicted: String(place), only: "wrong" }),
      fn: writeAddress("rows", { expected: String(place), only: "wrong" }),
    },
  }));
}

function Headline({ scores: { accuracy, confidence } }: { scores: ClassScores }) {
  return (
    <div className={`headline ${grade(accuracy.value)}`}>
      <h2>Accuracy</h2>
      <p className="figure">
        {rate(accuracy.value)} <i title={grade(accuracy.value)}>{gradeSymbol(accuracy.value)}</i>
      </p>
      <Bar of={accuracy} />
      <p>
        <Bounds of={accuracy} write={(bounds) => `${wholePercent(confidence)} interval ${interval(bounds)}`} />
      </p>
      <p className="quiet">
        {accuracy.unit === "values" ? counted(accuracy.n ?? 0, "row") : unitsOf(accuracy.n ?? 0, accuracy.unit)}
      </p>
    </div>
  );
}

function Cards({ scores }: { scores: ClassScores }) {
  const { macro, weighted, micro } = scores.averages;
  return (
    <dl className="cards">
      <Card title="Macro F1" of={scores.macro_f1} note={undefinedFor(macro.undefined?.f1)} />
      <Card title="Macro precision" of={{ value: macro.precision }} note={undefinedFor(macro.undefined?.precision)} />
      <Card title="Macro recall" of={{ value: macro.recall }} note={undefinedFor(macro.undefined?.recall)} />
      <Card title="Weighted F1" of={{ value: weighted.f1 }} note="by the rows of each class" />
      <Card title="Micro F1" of={{ value: micro.f1 }} note="of the sums over all classes" />
      <Card title="Cohen’s kappa" of={{ value: scores.kappa }} note="agreement beyond chance" />
      <Card title="MCC" of={{ value: scores.mcc }} note="from −1 to 1" />
    </dl>
  );
}

function undefinedFor(classes: number | undefined): string {
  return classes ? `undefined for ${counted(classes, "class", "classes")}` : "each class counts once";
}

function Card({ title, of, note }: { title: string; of: Rate; note: string }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        <span className="figure">{rate(of.value)}</span>
        {of.low !== null && of.low !== undefined && <Bounds of={of} />}
        <small className="quiet">{note}</small>
      </dd>
    </div>
  );
}
