import Container from "@cloudscape-design/components/container";
import Header from "@cloudscape-design/components/header";
import { totalOfGroup } from "../data/groups";
import type { Summary } from "../data/interface";
import type { GroupMetrics } from "../data/types";
import { count } from "../format/numbers";
import { DataTable } from "../parts/DataTable";
import { RateBar, RateCell } from "../parts/Figures";
import { Name } from "../parts/Text";
import { writeAddress } from "../state/address";
import { ratesOf } from "../state/fields";

/** How well the fields of each class are read, the costliest class first; a class opens to its fields. */
export function FieldsOfClasses({ sums: { metrics, hasRows } }: { sums: Summary }) {
  const rows = Object.entries(metrics.classes ?? {}).map(([name, group]) => lineOf(name, group));
  return (
    <Container
      header={
        <Header
          variant="h2"
          description="Most errors first; a class opens to its fields, errors to the values that are wrong"
        >
          Fields by class
        </Header>
      }
    >
      <DataTable
        label="Classes by the errors in their fields"
        rows={rows.toSorted((a, b) => b.wrong - a.wrong || a.name.localeCompare(b.name))}
        keyOf={(row) => row.name}
        columns={[
          {
            ...{ key: "class", title: "class", head: true },
            cell: ({ name }) => (
              <a href={writeAddress("fields", { class: name })}>
                <Name text={name} breaks=" ._/" />
              </a>
            ),
          },
          { key: "f1", title: "F1 (strict)", numeric: true, cell: (row) => <RateBar of={row.rates.strict_f1} /> },
          { key: "p", title: "precision", numeric: true, cell: (row) => <RateCell of={row.rates.precision} /> },
          {
            key: "r",
            title: "recall (strict)",
            numeric: true,
            cell: (row) => <RateCell of={row.rates.strict_recall} />,
          },
          { key: "values", title: "values", numeric: true, cell: (row) => count(row.values) },
          {
            ...{ key: "errors", title: "errors", numeric: true },
            cell: ({ name, wrong }) =>
              wrong && hasRows ? (
                <a href={writeAddress("errors", { class: name })} aria-label={`${count(wrong)} errors of ${name}`}>
                  {count(wrong)}
                </a>
              ) : (
                count(wrong)
              ),
          },
          {
            ...{ key: "documents", title: "documents", numeric: true },
            cell: ({ name, documents }) =>
              documents === null ? (
                <span className="quiet">–</span>
              ) : (
                <a
                  href={writeAddress("documents", { class: name })}
                  aria-label={`${count(documents)} documents with ${name}`}
                >
                  {count(documents)}
                </a>
              ),
          },
        ]}
      />
    </Container>
  );
}

function lineOf(name: string, group: GroupMetrics) {
  const total = totalOfGroup(group);
  const wrong = total.fp + total.fn;
  const rates = total.rates ?? ratesOf({ ...total, tn: 0 });
  return { name, rates, wrong, values: total.tp + wrong, documents: group.document_count ?? null };
}
