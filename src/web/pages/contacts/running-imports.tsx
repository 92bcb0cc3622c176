import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { api } from "../../api/call.ts";
import { Notice } from "../../components/notice.tsx";
import { formatShare } from "../../format.ts";
import { importText as t } from "../../messages/import.ts";
import { importShare, isRunning } from "./import-progress.ts";

/** What is still being imported, also after the window was closed or the page opened anew. */
export function RunningImports({ onShow }: { onShow: (id: number) => void }) {
  const imports = useQuery({
    queryKey: ["imports", "recent"],
    queryFn: ({ signal }) => api("GET /api/contact-imports", { signal }),
    refetchInterval: ({ state }) => (state.data?.items.some(isRunning) ? 2_000 : false),
  });
  const running = imports.data?.items.filter(isRunning) ?? [];
  useRefreshWhenDone(running.length);
  if (running.length === 0) return null;
  return (
    <div className="mb-5 grid gap-2">
      {running.map((each) => (
        <Notice key={each.id} tone="info">
          {t.banner(each.listName, formatShare(importShare(each)))}{" "}
          <button type="button" className="link" onClick={() => onShow(each.id)}>
            {t.show}
          </button>
        </Notice>
      ))}
    </div>
  );
}

/** An import that ended has made a list. */
function useRefreshWhenDone(running: number) {
  const queries = useQueryClient();
  const before = useRef(running);
  useEffect(() => {
    if (running < before.current) void queries.invalidateQueries({ queryKey: ["contacts"] });
    before.current = running;
  }, [running, queries]);
}
