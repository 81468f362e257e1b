import Tabs from "@cloudscape-design/components/tabs";
import type { About, StudioData } from "../data/interface";
import type { ClassScores, ClassesPage as Page } from "../data/types";
import { count, counted } from "../format/numbers";
import { Answered } from "../parts/Answered";
import { Name } from "../parts/Text";
import { writeAddress } from "../state/address";
import { goTo, useAddress } from "../state/useAddress";
import { useAnswer } from "../state/useAnswer";
import { LabelRows } from "./LabelRows";
import { Metrics } from "./Metrics";
import { Scores } from "./Scores";

const TABS = ["classes", "rows", "metrics"] as const;
const CONTENT = { classes: Scores, rows: LabelRows, metrics: Metrics };

export interface ClassesProps {
  data: StudioData;
  page: Omit<Page, "rows">;
  scores: ClassScores;
  chosen: Readonly<Record<string, string>>;
}

/** Labels expected against labels predicted. */
export function ClassesPage({ data, about }: { data: StudioData; about: About }) {
  const { tab, chosen } = useAddress(TABS);
  const answer = useAnswer("classes", () => data.classes());
  return (
    <Answered answer={answer}>
      {(page) => {
        const scores = page.classification.report;
        return (
          <>
            <header className="title">
              <h1>
                <Name text={about.title} breaks="/_" />
              </h1>
              {scores && <Line scores={scores} />}
            </header>
            {scores && (
              <Tabs
                ariaLabel="Views of the classes"
                activeTabId={tab}
                onChange={({ detail }) => goTo(detail.activeTabId)}
                tabs={TABS.map((id) => {
                  const Content = CONTENT[id];
                  return {
                    id,
                    label: labelsOf(page, scores)[id],
                    href: writeAddress(id),
                    content: tab === id && <Content data={data} page={page} scores={scores} chosen={chosen} />,
                  };
                })}
              />
            )}
          </>
        );
      }}
    </Answered>
  );
}

function labelsOf(page: ClassesProps["page"], scores: ClassScores): Record<(typeof TABS)[number], string> {
  return {
    classes: `Classes (${count(scores.classes.length)})`,
    rows: `Rows (${count(scores.rows.used)})`,
    metrics: `Metrics (${count(Object.keys(page.classification.metrics).length)})`,
  };
}

function Line({ scores }: { scores: ClassScores }) {
  const left = Object.values(scores.rows.skipped).reduce((sum, n) => sum + n, 0);
  const said = [
    counted(scores.rows.used, "row"),
    counted(scores.classes.length, "class", "classes"),
    scores.clusters ? counted(scores.clusters, "cluster") : "",
    left ? `${counted(left, "row")} left out` : "",
  ];
  return (
    <ul className="line">
      {said.filter(Boolean).map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  );
}
