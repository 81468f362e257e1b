import Tabs from "@cloudscape-design/components/tabs";
import { ConfidenceTab } from "../confidence/ConfidencePage";
import { hasTrials } from "../data/documents";
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
import { Repeated } from "./Trials";

const TABS = [
  ...(["summary", "fields", "classes", "errors", "documents"] as const),
  ...(["confidence", "threshold", "spec"] as const),
];
const PLACES = [...TABS, "document"];

export interface TabProps {
  data: StudioData;
  sums: Sums;
  chosen: Readonly<Record<string, string>>;
}

const CONTENT = {
  ...{ summary: Summary, fields: Fields, errors: Errors, documents: Documents, document: Document },
  ...{ classes: Classes, confidence: ConfidenceTab, threshold: Threshold, spec: Spec },
};

export function RunPage({ data, about }: { data: StudioData; about: About }) {
  const { tab, chosen } = useAddress(PLACES);
  const answer = useAnswer("summary", () => data.summary());
  return (
    <Answered answer={answer}>
      {(sums) => {
        const tabs = tabsOf(sums);
        const place = [...tabs, "document"].includes(tab) ? tab : "summary";
        const active = place === "document" ? "documents" : place;
        const Content = CONTENT[place as keyof typeof CONTENT];
        const labels = labelsOf(sums);
        return (
          <Repeated value={sums.repeated}>
            <Heading about={about} sums={sums} />
            <Tabs
              ariaLabel="Views of the run"
              activeTabId={active}
              onChange={({ detail }) => goTo(detail.activeTabId)}
              tabs={tabs.map((id) => ({
                id,
                label: labels[id],
                href: writeAddress(id),
                content: active === id && <Content data={data} sums={sums} chosen={chosen} />,
              }))}
            />
          </Repeated>
        );
      }}
    </Answered>
  );
}

/** The tabs of what a run has: sums of others have no spec, and nothing to move a threshold on. */
function tabsOf({ metrics, countsOnly, hasConfidences }: Sums): (typeof TABS)[number][] {
  const isThere = {
    classes: !!(metrics.classes || metrics.sections),
    confidence: hasConfidences,
    threshold: !countsOnly,
    spec: !countsOnly,
  };
  return TABS.filter((id) => !(id in isThere) || isThere[id as keyof typeof isThere]);
}

function labelsOf({ metrics, rules }: Sums): Record<(typeof TABS)[number], string> {
  const total = metrics.aggregate;
  return {
    summary: "Summary",
    fields: `Fields (${count(Object.values(metrics.fields).filter((row) => isLeaf(row) && row.tp + row.fp + row.fn).length)})`,
    classes: `Classes (${count(Object.keys(metrics.classes ?? {}).length)})`,
    errors: `Errors (${count(total.fd + total.fa + total.fn)})`,
    documents: `Documents (${count(metrics.document_count)})`,
    confidence: "Confidence",
    threshold: "Threshold",
    spec: `Spec (${count(rules.length)})`,
  };
}

function Heading({ about, sums: { metrics } }: { about: About; sums: Sums }) {
  const total = metrics.aggregate;
  const line = [
    counted(metrics.document_count, "document"),
    hasTrials(metrics) ? counted(metrics.trial_count ?? 0, "trial") : "",
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
