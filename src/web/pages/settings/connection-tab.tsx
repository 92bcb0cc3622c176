import { clsx } from "clsx";
import { Server, Smartphone } from "lucide-react";
import type { Connection } from "../../../contract/connections.ts";
import { useConnections } from "../../api/connections.ts";
import { useMe } from "../../api/me.ts";
import { connectionName } from "../../connections/connection-name.ts";
import { shownState, stateNote } from "../../connections/connection-words.ts";
import { deviceWords } from "../../connections/device-words.ts";
import { connectionsText } from "../../messages/connections.ts";
import { settingsText } from "../../messages/settings.ts";
import avatarStyles from "../../ui/avatar.module.css";
import { Badge } from "../../ui/badge.tsx";
import cardStyles from "../../ui/card.module.css";
import { EmptyState } from "../../ui/empty-state.tsx";
import { QueryError } from "../../ui/error-notice.tsx";
import { Icon } from "../../ui/icon.tsx";
import { LinkButton } from "../../ui/link-button.tsx";
import personStyles from "../../ui/person.module.css";
import { Bone, Skeleton } from "../../ui/skeleton.tsx";
import textStyles from "../../ui/text.module.css";
import { useRefetchError } from "../../ui/use-refetch-error.ts";
import styles from "./settings.module.css";

const t = settingsText.connection;

export function ConnectionTab() {
  const query = useConnections();
  const old = useRefetchError(query);
  if (query.isPending)
    return (
      <Skeleton className={clsx(cardStyles.card, cardStyles.pad)}>
        <Bone width="45%" />
        <Bone width="70%" style={{ marginTop: 14 }} />
      </Skeleton>
    );
  const errorNotice = <QueryError title={t.failed} query={query} />;
  if (!query.data || (old && query.data.length === 0)) return errorNotice;
  if (query.data.length === 0)
    return (
      <EmptyState icon={Smartphone} title={connectionsText.list.empty} text={connectionsText.list.emptyText}>
        <LinkButton to="/baileys" look="primary">
          {connectionsText.list.connect}
        </LinkButton>
      </EmptyState>
    );
  return (
    <>
      {old && errorNotice}
      <States connections={query.data} />
    </>
  );
}

function States({ connections }: { connections: readonly Connection[] }) {
  const connected = connections.filter(({ state }) => state === "connected").length;
  return (
    <section className={cardStyles.card} aria-labelledby="settings-connections">
      <div className={clsx(cardStyles.cardHead, styles.settingsHead)} data-ui="card-head">
        <div>
          <h2 id="settings-connections" className={cardStyles.cardTitle}>
            {t.title}
          </h2>
          <p className={textStyles.quiet} role="status">
            {t.all(connected, connections.length)}
          </p>
        </div>
        <LinkButton to="/whatsapp/connections">{t.manage}</LinkButton>
      </div>
      <ul className={clsx(styles.settingsRows, styles.lines)} aria-label={t.label}>
        {connections.map((connection) => (
          <StateRow key={connection.id} connection={connection} />
        ))}
      </ul>
    </section>
  );
}

function StateRow({ connection }: { connection: Connection }) {
  const { timeZone } = useMe();
  const state = shownState(connection);
  const note = stateNote(connection, timeZone);
  return (
    <li>
      <span
        className={clsx(avatarStyles.avatar, !(connection.state === "connected") && avatarStyles.grey)}
        data-ui="avatar"
      >
        <Icon of={connection.kind === "instance" ? Server : Smartphone} />
      </span>
      <div className={personStyles.person} data-ui="person">
        <div className={styles.name}>
          <b>{connectionName(connection)}</b>
          {connection.isDefault && (
            <Badge tone="quiet" low>
              {connectionsText.list.isDefault}
            </Badge>
          )}
        </div>
        <span>
          {deviceWords(connection)}
          {note && ` · ${note}`}
        </span>
      </div>
      <Badge tone={state.tone} icon={state.icon}>
        {state.label}
      </Badge>
    </li>
  );
}
