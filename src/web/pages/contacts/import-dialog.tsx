import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api } from "../../api/call.ts";
import { ImportForm } from "./import-form.tsx";
import { isRunning } from "./import-progress.ts";
import { ImportReport, ImportRunning } from "./import-report.tsx";
import { NOTHING } from "./use-import-form.ts";

type Props = {
  onClose: () => void;
  following?: number | undefined;
  onRead: (id: number) => void;
};

export function ImportDialog({ onClose, following, onRead }: Props) {
  const [id, setId] = useState<number | null>(following ?? null);
  const [sent, setSent] = useState(NOTHING);
  const report = useQuery({
    queryKey: ["imports", id],
    queryFn: ({ signal }) => api("GET /api/contact-imports/{id}", { params: { id: id ?? 0 }, signal }),
    enabled: id !== null,
    refetchInterval: ({ state }) => (state.data && !isRunning(state.data) ? false : 1_000),
  });
  const again = () => {
    setId(null);
    setSent(NOTHING);
  };
  const found = id === null ? undefined : report.data;
  const ended = found && !isRunning(found) ? found.id : null;
  useEffect(() => {
    if (ended !== null) onRead(ended);
  }, [ended, onRead]);
  if (id === null || found?.state === "failed")
    return (
      <ImportForm
        failed={found?.fault ?? null}
        sent={sent}
        onStarted={(started, values) => {
          setId(started);
          // Pick again after a correction: browsers refuse to read a file that changed since.
          setSent({ ...values, file: null });
        }}
        onClose={onClose}
      />
    );
  if (!found || isRunning(found)) return <ImportRunning progress={found} onClose={onClose} />;
  return <ImportReport report={found} onAnother={again} onClose={onClose} />;
}
