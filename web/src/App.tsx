import { useEffect } from "react";
import { ClassesPage } from "./classes/ClassesPage";
import { ComparePage } from "./compare/ComparePage";
import { ConfidencePage } from "./confidence/ConfidencePage";
import type { About, StudioData } from "./data/interface";
import { plain } from "./format/text";
import { Answered } from "./parts/Answered";
import { Name } from "./parts/Text";
import { RunPage } from "./run/RunPage";
import { useAnswer } from "./state/useAnswer";
import { SweepPage } from "./sweep/SweepPage";

const PAGES = {
  run: RunPage,
  comparison: ComparePage,
  classes: ClassesPage,
  confidence: ConfidencePage,
  sweep: SweepPage,
};

export function App({ data }: { data: Promise<StudioData> }) {
  const answer = useAnswer("about", async () => {
    const opened = await data;
    return { opened, about: await opened.about() };
  });
  return (
    <main className="page">
      <Answered answer={answer}>
        {({ opened, about }) => {
          const Page = PAGES[about.shows];
          return (
            <>
              <Page data={opened} about={about} />
              <Facts about={about} />
            </>
          );
        }}
      </Answered>
    </main>
  );
}

/** By what the numbers can be traced. */
function Facts({ about }: { about: About }) {
  useEffect(() => {
    document.title = plain(about.title);
  }, [about.title]);
  return (
    <footer>
      <dl className="facts">
        {Object.entries(about.facts).map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{text ? <Name text={text} breaks="/_" /> : "–"}</dd>
          </div>
        ))}
      </dl>
    </footer>
  );
}
