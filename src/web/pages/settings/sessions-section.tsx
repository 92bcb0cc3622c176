import { useQuery, useQueryClient } from "@tanstack/react-query";
import { clsx } from "clsx";
import { Monitor, Smartphone } from "lucide-react";
import { type MouseEvent, useState } from "react";
import type { Session } from "../../../contract/settings.ts";
import { errorTextOf, orGone } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { useMe } from "../../api/me.ts";
import { restoreFocus } from "../../lib/restore-focus.ts";
import { formatAt } from "../../messages/format.ts";
import { settingsText } from "../../messages/settings.ts";
import avatarStyles from "../../ui/avatar.module.css";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { SectionCard } from "../../ui/card.tsx";
import { QueryError, SmallError } from "../../ui/error-notice.tsx";
import { Icon } from "../../ui/icon.tsx";
import personStyles from "../../ui/person.module.css";
import { Bone, Skeleton } from "../../ui/skeleton.tsx";
import { toastDone } from "../../ui/toast.tsx";
import { useRefetchError } from "../../ui/use-refetch-error.ts";
import { sessionsQuery } from "./queries.ts";
import styles from "./settings.module.css";
import { readUserAgent } from "./user-agent.ts";

const t = settingsText.sessions;

export function SessionsSection() {
  return (
    <SectionCard title={t.title} explained={t.explained}>
      <Sessions />
    </SectionCard>
  );
}

function Sessions() {
  const query = useQuery(sessionsQuery);
  const old = useRefetchError(query);
  const [error, setError] = useState<unknown>(null);
  if (query.isPending)
    return (
      <Skeleton>
        <Bone width="40%" />
        <Bone width="70%" style={{ marginTop: 10 }} />
      </Skeleton>
    );
  const refused = <QueryError title={t.failed} query={query} />;
  if (!query.data) return refused;
  return (
    <>
      {old && refused}
      {error !== null && <SmallError title={t.endFailed} text={errorTextOf(error, "")} />}
      <ul className={styles.settingsRows} tabIndex={-1} aria-label={t.title}>
        {query.data.map((session) => (
          <SessionRow key={session.id} session={session} onError={setError} />
        ))}
      </ul>
    </>
  );
}

const PHONES: readonly (string | undefined)[] = ["Android", "iPhone", "iPad"];

function SessionRow({ session, onError }: { session: Session; onError: (error: unknown) => void }) {
  const { timeZone } = useMe();
  const { busy, end } = useEnding(session, onError);
  const { browser, system } = readUserAgent(session.userAgent);
  const name = browser && system ? t.on(browser, system) : (browser ?? system ?? t.unknown);
  return (
    <li>
      <span className={clsx(avatarStyles.avatar, !session.current && avatarStyles.grey)} data-ui="avatar">
        <Icon of={PHONES.includes(system) ? Smartphone : Monitor} />
      </span>
      <div className={personStyles.person} data-ui="person">
        <div className={styles.name}>
          <b>{name}</b>
          {session.current && (
            <Badge tone="success" low>
              {t.current}
            </Badge>
          )}
        </div>
        <span>
          {session.address && `${session.address} · `}
          {t.at(formatAt(session.createdAt, timeZone))} · {t.seen(formatAt(session.lastSeenAt, timeZone))}
        </span>
      </div>
      {!session.current && (
        <Button small busy={busy} aria-label={t.endLabel(name)} onClick={end}>
          {t.end}
        </Button>
      )}
    </li>
  );
}

function useEnding({ id }: Session, onError: (error: unknown) => void) {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const end = async (event: MouseEvent) => {
    const goOn = restoreFocus(event);
    setBusy(true);
    onError(null);
    try {
      await orGone(api("DELETE /api/settings/sessions/{sessionId}", { params: { sessionId: id } }));
      goOn();
      await queries.invalidateQueries(sessionsQuery);
      toastDone(t.ended);
    } catch (error) {
      onError(error);
    } finally {
      setBusy(false);
    }
  };
  return { busy, end };
}
