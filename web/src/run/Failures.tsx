import Container from "@cloudscape-design/components/container";
import Header from "@cloudscape-design/components/header";
import { useMemo, useState } from "react";
import { byDocument } from "../data/order";
import type { Failure } from "../data/types";
import { count } from "../format/numbers";
import { DataTable } from "../parts/DataTable";
import { ShowMore } from "../parts/ShowMore";
import { Name, Shown } from "../parts/Text";
import { DocumentLink } from "./ValueTable";

const STEP = 20;

interface Props {
  failures: Failure[];
  total: number;
  canOpen: boolean;
}

/** Documents that could not be compared as they should, with reasons. */
export function Failures({ failures, total, canOpen }: Props) {
  const [shown, setShown] = useState(STEP);
  const ordered = useMemo(() => failures.toSorted(byId), [failures]);
  const more = shown < failures.length ? () => setShown(shown + STEP) : undefined;
  return (
    <Container
      header={
        <Header
          variant="h2"
          counter={`(${count(total)})`}
          description="Documents that failed, or of which one side was missing or unreadable"
        >
          Failures
        </Header>
      }
    >
      <DataTable
        className="values"
        label="Failures"
        rows={ordered.slice(0, shown)}
        keyOf={(row) => `${row.doc_id} ${row.trial} ${row.error}`}
        columns={[
          {
            key: "document",
            title: "document",
            head: true,
            cell: ({ doc_id: id, trial }) =>
              canOpen && id ? (
                <DocumentLink document={id} trial={trial ?? undefined} />
              ) : (
                <Name text={id ?? "–"} breaks="/_" />
              ),
          },
          { key: "kind", title: "kind", cell: (row) => (row.kind ?? "error").replaceAll("_", " ") },
          { key: "reason", title: "reason", look: "words", cell: (row) => <Shown text={row.error} /> },
        ]}
      />
      <ShowMore
        shown={Math.min(shown, failures.length)}
        held={failures.length}
        total={total}
        more={more}
        noun="failure"
      />
    </Container>
  );
}

function byId(a: Failure, b: Failure): number {
  return byDocument({ ...a, document: a.doc_id ?? "" }, { ...b, document: b.doc_id ?? "" });
}
