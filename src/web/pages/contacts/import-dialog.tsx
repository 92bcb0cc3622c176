import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { ImportDraft } from "../../../contract/import-drafts.ts";
import { api } from "../../api/call.ts";
import { ImportColumnsStep } from "./import-columns-step.tsx";
import { ImportFileStep } from "./import-file-step.tsx";
import { ImportListsStep } from "./import-lists-step.tsx";
import { isRunning } from "./import-progress.ts";
import { ImportReport, ImportRunning } from "./import-report.tsx";
import { NOTHING } from "./use-import-file.ts";
import { type Decisions, decisionsFor } from "./use-import-start.ts";

type Props = {
  onClose: () => void;
  following?: number | undefined;
  onRead: (id: number) => void;
};

type Step =
  | { at: "file" }
  | { at: "columns"; draft: ImportDraft; decisions: Decisions }
  | { at: "lists"; draft: ImportDraft; decisions: Decisions }
  | { at: "started"; id: number };

export function ImportDialog({ onClose, following, onRead }: Props) {
  const [step, setStep] = useState<Step>(following ? { at: "started", id: following } : { at: "file" });
  const [sent, setSent] = useState(NOTHING);
  const [decided, setDecided] = useState<Decisions | null>(null);
  const id = step.at === "started" ? step.id : null;
  const report = useQuery({
    queryKey: ["imports", id],
    queryFn: ({ signal }) => api("GET /api/contact-imports/{id}", { params: { id: id ?? 0 }, signal }),
    enabled: id !== null,
    refetchInterval: ({ state }) => (state.data && !isRunning(state.data) ? false : 1_000),
  });
  const found = id === null ? undefined : report.data;
  const ended = found && !isRunning(found) ? found.id : null;
  useEffect(() => {
    if (ended !== null) onRead(ended);
  }, [ended, onRead]);
  const again = () => {
    setSent(NOTHING);
    setDecided(null);
    setStep({ at: "file" });
  };
  if (step.at === "columns") {
    const { draft, decisions } = step;
    return (
      <ImportColumnsStep
        first={draft}
        onChosen={(chosen) => setStep({ at: "lists", draft: chosen, decisions })}
        onBack={() => setStep({ at: "file" })}
        onClose={onClose}
      />
    );
  }
  if (step.at === "lists") {
    const { draft, decisions } = step;
    return (
      <ImportListsStep
        draft={draft}
        values={decisions}
        onStarted={(started, values) => {
          setDecided(values);
          setStep({ at: "started", id: started });
        }}
        onBack={(values) => {
          setDecided(values);
          setStep({ at: "columns", draft, decisions: values });
        }}
        onClose={onClose}
      />
    );
  }
  if (step.at === "file" || found?.state === "failed")
    return (
      <ImportFileStep
        failed={found?.fault ?? null}
        sent={sent}
        onRead={(draft, values) => {
          // Pick again after a correction: browsers refuse to read a file that changed since.
          setSent({ ...values, file: null });
          setStep({ at: "columns", draft, decisions: decided ?? decisionsFor(draft) });
        }}
        onClose={onClose}
      />
    );
  if (!found || isRunning(found)) return <ImportRunning progress={found} onClose={onClose} />;
  return <ImportReport report={found} onAnother={again} onClose={onClose} />;
}
