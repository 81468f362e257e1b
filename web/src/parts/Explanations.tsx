import Container from "@cloudscape-design/components/container";
import ExpandableSection from "@cloudscape-design/components/expandable-section";

/** A word of the page and what it means. */
export type Explained = [word: string, meaning: string];

/** How to read the page. */
export function Explanations({ words }: { words: readonly Explained[] }) {
  return (
    <Container>
      <ExpandableSection headerText="How to read this">
        <dl className="reading">
          {words.map(([word, meaning]) => (
            <div key={word}>
              <dt>{word}</dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
      </ExpandableSection>
    </Container>
  );
}
