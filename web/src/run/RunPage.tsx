import Tabs from "@cloudscape-design/components/tabs";
import { isLeaf } from "../data/groups";
import type { About, StudioData, Summary as Sums } from "../data/interface";
import { count, counted } from "../format/numbers";
import { Answered } from "../parts/Answered";
import { Name } from "../parts/Text";
import { writeAddress } from "../state/address";
import { goTo, useAddress } from "../state/useAddress";
import { useAnswer } from "../state/useAnswer";
import { Classes } from "./Classes";
import { Document } from "./Document";
import { Documents } from "./Documents";
import { Errors } from "./Errors";
import { Fields } from "./Fields";
import { Spec } from "./Spec";
import { Summary } from "./Summary";
import { Threshold } from "./Threshold";

const TABS = ["summary", "fields", "classes", "errors", "documents", "threshold", "spec"] as const;
const PLACES = [...TABS, "document"];

export interface TabProps {
  data: StudioData;
  sums: Sums;
  chosen: Readonly<Record<string, string>>;
}

const CONTENT = {
  ...{ summary: Summary, fields: Fields, errors: Errors, documents: Documents, document: Document },
  classes: Classes,
  ...{ threshold: Threshold, spec: Spec },
};

export function RunPage({ data, about }: { data: StudioData; about: About }) {
  const { tab, chosen } = useAddress(PLACES);
  const answer = useAnswer("summary", () => data.summary());
  return (
    <Answered answer={answer}>
      {(sums) => {
        const Content = CONTENT[tab as keyof typeof CONTENT];
        const labels = labelsOf(sums);
        return (
          <>
            <Heading about={about} sums={sums} />
            <Tabs
              ariaLabel="Views of the run"
              activeTabId={tab === "document" ? "documents" : tab}
              onChange={({ detail }) => goTo(detail.activeTabId)}
              tabs={tabsOf(sums).map((id) => ({
                id,
                label: labels[id],
                href: writeAddress(id),
                content: (tab === "document" ? "documents" : tab) === id && (
                  <Content data={data} sums={sums} chosen={chosen} />
                ),
              }))}
            />
          </>
        );
      }}
    </Answered>
  );
}

/** The tabs of what a run has: sums of others have no spec, and nothing to move a threshold on. */
function tabsOf({ metrics, countsOnly }: Sums): (typeof TABS)[number][] {
  return TABS.filter(
    (id) =>
      (id !== "classes" || metrics.classes || metrics.sections) &&
      (!countsOnly || (id !== "threshold" && id !== "spec")),
  );
}

function labelsOf({ metrics, rules }: Sums): Record<(typeof TABS)[number], string> {
  const total = metrics.aggregate;
  return {
    summary: "Summary",
    fields: `Fields (${count(Object.values(metrics.fields).filter((row) => isLeaf(row) && row.tp + row.fp + row.fn).length)})`,
    classes: `Classes (${count(Object.keys(metrics.classes ?? {}).length)})`,
    errors: `Errors (${count(total.fd + total.fa + total.fn)})`,
    documents: `Documents (${count(metrics.document_count)})`,
    threshold: "Threshold",
    spec: `Spec (${count(rules.length)})`,
  };
}

function Heading({ about, sums: { metrics } }: { about: About; sums: Sums }) {
  const total = metrics.aggregate;
  const trials = metrics.trial_count ?? 0;
  const line = [
    counted(metrics.document_count, "document"),
    trials > metrics.document_count ? counted(trials, "trial") : "",
    counted(total.tp + total.fd + total.fa + total.fn, "value"),
    counted(total.fd + total.fa + total.fn, "error"),
    counted(metrics.error_count ?? 0, "failure"),
  ];
  return (
    <header className="title">
      <h1>
        <Name text={about.title} breaks="/_" />
      </h1>
      <ul className="line">
        {line.filter(Boolean).map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </header>
  );
}
