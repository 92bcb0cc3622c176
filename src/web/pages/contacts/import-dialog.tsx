import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/call.ts";
import { ImportForm } from "./import-form.tsx";
import { isRunning } from "./import-progress.ts";
import { ImportReport, ImportRunning } from "./import-report.tsx";

type Props = {
  onClose: () => void;
  /** An import that is already under way. */
  following?: number | undefined;
};

/** Choose, wait, read the report: three faces of one window. */
export function ImportDialog({ onClose, following }: Props) {
  const [id, setId] = useState<number | null>(following ?? null);
  const report = useQuery({
    queryKey: ["imports", id],
    queryFn: ({ signal }) => api("GET /api/contact-imports/{id}", { params: { id: id ?? 0 }, signal }),
    enabled: id !== null,
    refetchInterval: ({ state }) => (state.data && !isRunning(state.data) ? false : 1_000),
  });
  const found = id === null ? undefined : report.data;
  if (id === null || found?.state === "failed")
    return <ImportForm failed={found?.fault ?? null} onStarted={setId} onClose={onClose} />;
  if (!found || isRunning(found)) return <ImportRunning progress={found} onClose={onClose} />;
  return <ImportReport report={found} onAnother={() => setId(null)} onClose={onClose} />;
}
