import Alert from "@cloudscape-design/components/alert";
import Container from "@cloudscape-design/components/container";
import Header from "@cloudscape-design/components/header";
import { CLASS_KEYS, type ClassLine, ClassTable } from "../classes/ClassTable";
import { isClass, readPlace } from "../data/matrix";
import type { Confusion, SectionMetrics } from "../data/types";
import { counted } from "../format/numbers";
import { MAX_BESIDE, Matrix } from "../parts/Matrix";
import { writeAddress } from "../state/address";
import { readSorting, writeSorting } from "../state/sorting";
import { useChoices } from "../state/useAddress";
import { FieldsOfClasses } from "./FieldsOfClasses";
import type { TabProps } from "./RunPage";
import { SectionList } from "./SectionList";
import { Sections } from "./Sections";

/** The classes of a run: how sections were classified and split, and how well the fields of each class are read. */
export function Classes(props: TabProps) {
  const { metrics } = props.sums;
  const { sections } = metrics;
  const matrix = sections?.confusion_matrix;
  return (
    <div className="stack">
      {sections && <Sections sections={sections} />}
      {sections && matrix && <Classification {...props} sections={sections} matrix={matrix} />}
      {!matrix && (
        <Alert type="info" header="No confusion matrix">
          {sections
            ? "No section of this run names a class on both sides."
            : "The classes are those of the expected documents; nothing says which class was predicted. Documents in sections with a class on both sides have a matrix."}
        </Alert>
      )}
      {metrics.classes && <FieldsOfClasses sums={props.sums} />}
    </div>
  );
}

interface Props extends TabProps {
  sections: SectionMetrics;
  matrix: Confusion;
}

function Classification({ sections, matrix, ...props }: Props) {
  const { now, choose } = useChoices("classes", props.chosen);
  const [expected, predicted] = [readPlace(now.expected, matrix), readPlace(now.predicted, matrix)];
  const hrefOf = (row: number, column: number) =>
    writeAddress("classes", { sort: now.sort, expected: String(row), predicted: String(column) });
  return (
    <>
      <div className={matrix.labels.length <= MAX_BESIDE ? "two" : "stack"}>
        <Container
          header={
            <Header variant="h2" description="Expected down, predicted across; a cell opens to its sections">
              Confusion of classes
            </Header>
          }
        >
          <Matrix matrix={matrix} noun="section" hrefOf={hrefOf} chosen={{ expected, predicted }} />
          {(sections.without_class ?? 0) > 0 && (
            <p className="quiet small">
              {counted(sections.without_class ?? 0, "section")} without a class on one side may be of any, and are in no
              cell.
            </p>
          )}
        </Container>
        <SectionList key={`${expected} ${predicted}`} {...props} matrix={matrix} at={{ expected, predicted }} />
      </div>
      <Container
        header={
          <Header variant="h2" description="A section is right where its partner has the same class">
            How well classes were found
          </Header>
        }
      >
        <ClassTable
          noun="section"
          rows={linesOf(sections, matrix)}
          sorting={readSorting(now.sort, CLASS_KEYS)}
          onSort={(next) => choose({ sort: writeSorting(next) })}
        />
      </Container>
    </>
  );
}

/** The rates of each class; what is right opens to its cell, what is wrong to the sections of its row or column. */
function linesOf({ classes }: SectionMetrics, matrix: Confusion): ClassLine[] {
  return (classes ?? []).map((row) => {
    const at = String(matrix.labels.findIndex((name, k) => name === row.name && isClass(matrix, k)));
    return {
      ...row,
      support: row.tp + row.fn,
      predicted: row.tp + row.fp,
      hrefs: {
        tp: writeAddress("classes", { expected: at, predicted: at }),
        fn: writeAddress("classes", { expected: at }),
        fp: writeAddress("classes", { predicted: at }),
      },
    };
  });
}
