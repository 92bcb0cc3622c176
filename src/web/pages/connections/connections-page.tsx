import { Plus, RefreshCw, Smartphone } from "lucide-react";
import { lazy, Suspense, useCallback, useEffect, useState } from "react";
import { useConnections } from "../../api/connections.ts";
import { useMe } from "../../api/me.ts";
import { connectionName } from "../../connections/connection-name.ts";
import { connectText } from "../../messages/connect.ts";
import { connectionsText } from "../../messages/connections.ts";
import { formatTime } from "../../messages/format.ts";
import { PairingDialog } from "../../pairing/pairing-dialog.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { QueryError } from "../../ui/error-notice.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { LinkButton } from "../../ui/link-button.tsx";
import { Page } from "../../ui/page.tsx";
import { toastDone, toastFailed } from "../../ui/toast.tsx";
import { useRefetchError } from "../../ui/use-refetch-error.ts";
import { ConnectionList, ConnectionListSkeleton } from "./connection-list.tsx";
import { DisconnectDialog, RemoveDialog } from "./leave-dialogs.tsx";
import type { Asked } from "./use-connection-menu.ts";

const t = connectionsText.list;

const AssistantDialog = lazy(async () => ({
  default: (await import("../../assistant/assistant-dialog.tsx")).AssistantDialog,
}));

export function ConnectionsPage() {
  const { timeZone } = useMe();
  const query = useConnections();
  const [wanted, setAsked] = useState<Asked | null>(null);
  // Current data. If another window removed it, a dialog in which the user types would vanish.
  const connection = query.data?.find(({ id }) => id === wanted?.connection.id);
  const asked = wanted && connection && { what: wanted.what, connection };
  const close = useCallback(() => setAsked(null), []);
  const gone = query.data && wanted && !connection ? wanted : null;
  useEffect(() => {
    if (!gone) return;
    setAsked(null);
    if (gone.what !== "remove") toastFailed(t.gone(connectionName(gone.connection)));
  }, [gone]);
  const connected = useCallback(() => {
    setAsked(null);
    toastDone(connectText.page.done);
  }, []);
  const none = query.data?.length === 0;
  return (
    <Page
      title={t.title}
      fact={query.data ? t.updated(formatTime(new Date(query.dataUpdatedAt), timeZone)) : <>&nbsp;</>}
      actions={
        <>
          <Button icon={RefreshCw} busy={query.isFetching} onClick={() => query.refetch()}>
            {t.refresh}
          </Button>
          <LinkButton to="/baileys" look={none ? "secondary" : "primary"} icon={Plus}>
            {t.connect}
          </LinkButton>
        </>
      }
    >
      <Content query={query} onAsk={setAsked} />
      {asked?.what === "pair" && (
        <PairingDialog
          deviceId={asked.connection.deviceId}
          name={connectionName(asked.connection)}
          onConnected={connected}
          onClose={close}
        />
      )}
      {asked?.what === "assistant" && (
        <Suspense fallback={null}>
          <AssistantDialog
            connectionId={asked.connection.id}
            name={connectionName(asked.connection)}
            onClose={close}
          />
        </Suspense>
      )}
      {asked?.what === "disconnect" && <DisconnectDialog connection={asked.connection} onClose={close} />}
      {asked?.what === "remove" && <RemoveDialog connection={asked.connection} onClose={close} />}
    </Page>
  );
}

type ContentProps = { query: ReturnType<typeof useConnections>; onAsk: (asked: Asked) => void };

function Content({ query, onAsk }: ContentProps) {
  const old = useRefetchError(query);
  if (query.isPending) return <ConnectionListSkeleton />;
  const errorNotice = <QueryError title={t.failed} query={query} />;
  if (!query.data || (old && query.data.length === 0)) return errorNotice;
  if (query.data.length === 0)
    return (
      <EmptyState icon={Smartphone} title={t.empty} text={t.emptyText}>
        <LinkButton to="/baileys" look="primary">
          {t.connect}
        </LinkButton>
      </EmptyState>
    );
  return (
    <>
      {old && <div className={layoutStyles.below4}>{errorNotice}</div>}
      <ConnectionList connections={query.data} onAsk={onAsk} />
    </>
  );
}
