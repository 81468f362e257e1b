import Container from "@cloudscape-design/components/container";
import Header from "@cloudscape-design/components/header";
import type { SectionMetrics } from "../data/types";
import { count, counted, percent, share } from "../format/numbers";

/** What became of the sections of all documents, and how their pages were split. */
export function Sections({ sections }: { sections: SectionMetrics }) {
  const { paired = 0, wrong_class: wrong = 0, lost = 0, extra = 0, excluded = 0, splitting } = sections;
  const expected = paired + wrong + lost;
  return (
    <Container
      header={
        <Header
          variant="h2"
          description="Values of a section without a partner of its class count as missed or invented"
        >
          Sections
        </Header>
      }
    >
      <dl className="cards">
        <Card
          title="Right class"
          figure={share(paired, expected)}
          note={`${count(paired)} of ${count(expected)} expected`}
        />
        <Card title="Wrong class" figure={count(wrong)} note="missed and invented at once" isBad={wrong > 0} />
        <Card title="Lost" figure={count(lost)} note="expected, not predicted" isBad={lost > 0} />
        <Card title="Extra" figure={count(extra)} note="predicted, not expected" isBad={extra > 0} />
        {excluded > 0 && <Card title="Excluded" figure={count(excluded)} note="of classes that are not scored" />}
        {splitting && (
          <>
            <Card
              title="Pages of the right class"
              figure={percent(splitting.page_level_accuracy)}
              note={of(splitting.correctly_classified_pages, splitting.total_pages, "page")}
            />
            <Card
              title="Split right"
              figure={percent(splitting.split_accuracy_without_order)}
              note={`${of(splitting.correctly_split_without_order, splitting.total_splits, "section")} with the same class and pages`}
            />
            <Card
              title="Split right, in order"
              figure={percent(splitting.split_accuracy_with_order)}
              note={`${of(splitting.correctly_split_with_order, splitting.total_splits, "section")} with their pages in order`}
            />
          </>
        )}
      </dl>
      {!splitting && (
        <p className="quiet small">No section says which pages it has: how pages were split is unknown.</p>
      )}
    </Container>
  );
}

function of(part: number | undefined, whole: number | undefined, noun: string): string {
  return `${count(part ?? 0)} of ${counted(whole ?? 0, noun)}`;
}

interface CardProps {
  title: string;
  figure: string;
  note: string;
  isBad?: boolean;
}

export function Card({ title, figure, note, isBad }: CardProps) {
  return (
    <div className={isBad ? "alarm" : ""}>
      <dt>{title}</dt>
      <dd>
        <span className="figure">{figure}</span>
        <small className="quiet">{note}</small>
      </dd>
    </div>
  );
}
