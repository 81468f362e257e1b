import Alert from "@cloudscape-design/components/alert";
import Spinner from "@cloudscape-design/components/spinner";
import type { ReactNode } from "react";
import type { Answer } from "../state/useAnswer";

/** Shows an answer when it is there, and what to do where there is none. */
export function Answered<T>({ answer, children }: { answer: Answer<T>; children: (value: T) => ReactNode }) {
  if (answer.state === "waiting") return <Spinner size="large" />;
  if (answer.state === "there") return children(answer.value);
  return (
    <Alert type="warning" header={answer.error.message}>
      {answer.error.remedy && <code>{answer.error.remedy}</code>} <small>({answer.error.code})</small>
    </Alert>
  );
}
