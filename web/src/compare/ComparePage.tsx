import Alert from "@cloudscape-design/components/alert";
import Tabs from "@cloudscape-design/components/tabs";
import type { About, StudioData } from "../data/interface";
import type { RunDifference } from "../data/types";
import { count, counted } from "../format/numbers";
import { plain } from "../format/text";
import { Answered } from "../parts/Answered";
import { Name, Shown } from "../parts/Text";
import { writeAddress } from "../state/address";
import { goTo, useAddress } from "../state/useAddress";
import { useAnswer } from "../state/useAnswer";
import { ChangedFields } from "./ChangedFields";
import { Flips } from "./Flips";
import { Unpaired } from "./Unpaired";
import { Verdict } from "./Verdict";

const TABS = ["verdict", "fields", "flips"] as const;
const CONTENT = { verdict: Verdict, fields: ChangedFields, flips: Flips };

export interface CompareProps {
  difference: RunDifference;
  /** What the two runs show, in a sentence or two. */
  verdict: string;
  /** What to know before believing the numbers, in sentences. */
  notes: string[];
  chosen: Readonly<Record<string, string>>;
}

/** Two runs on the same documents: is the candidate really better? */
export function ComparePage({ data, about }: { data: StudioData; about: About }) {
  const { tab, chosen } = useAddress(TABS);
  const answer = useAnswer("comparison", () => data.comparison());
  return (
    <Answered answer={answer}>
      {({ paired, unpaired, verdict, notes }) => (
        <>
          <header className="title">
            <h1>
              <Name text={about.title} breaks="/_" />
            </h1>
            {paired && <Line difference={paired} />}
          </header>
          {(paired ?? unpaired)?.different_rules.map((words) => (
            <Alert key={words} type="warning" header="The runs compared by different rules">
              <Shown text={words} />
            </Alert>
          ))}
          {unpaired && <Unpaired difference={unpaired} />}
          {paired && (
            <Tabs
              ariaLabel="Views of the comparison"
              activeTabId={tab}
              onChange={({ detail }) => goTo(detail.activeTabId)}
              tabs={TABS.map((id) => {
                const Content = CONTENT[id];
                return {
                  id,
                  label: labelsOf(paired)[id],
                  href: writeAddress(id),
                  content: tab === id && (
                    <Content difference={paired} verdict={verdict} notes={notes} chosen={chosen} />
                  ),
                };
              })}
            />
          )}
        </>
      )}
    </Answered>
  );
}

function labelsOf({ fields, flips }: RunDifference): Record<(typeof TABS)[number], string> {
  return {
    verdict: "Verdict",
    fields: `Fields (${count(Object.keys(fields).length)})`,
    flips: `Flips (${count(flips.fixed + flips.broken)})`,
  };
}

function Line({ difference }: { difference: RunDifference }) {
  const { documents, fields, flips } = difference;
  const clusters = documents.cluster_by
    ? `, ${counted(documents.cluster_count ?? 0, "cluster")} by ${plain(documents.cluster_by)}`
    : "";
  const said = [
    `${counted(documents.compared, "document")} compared${clusters}`,
    counted(Object.keys(fields).length, "field"),
    `${counted(flips.broken, "value")} broken`,
    `${count(flips.fixed)} fixed`,
  ];
  return (
    <ul className="line">
      {said.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  );
}
