import { clsx } from "clsx";
import { Server, Smartphone } from "lucide-react";
import type { Connection } from "../../../contract/connections.ts";
import { useMe } from "../../api/me.ts";
import { connectionName } from "../../connections/connection-name.ts";
import { newChatsNote, shownState, stateNote } from "../../connections/connection-words.ts";
import { deviceWords } from "../../connections/device-words.ts";
import { connectionsText } from "../../messages/connections.ts";
import avatarStyles from "../../ui/avatar.module.css";
import { Badge } from "../../ui/badge.tsx";
import cardStyles from "../../ui/card.module.css";
import { Icon } from "../../ui/icon.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { Menu } from "../../ui/menu.tsx";
import personStyles from "../../ui/person.module.css";
import { Bone, Skeleton } from "../../ui/skeleton.tsx";
import textStyles from "../../ui/text.module.css";
import textLinkStyles from "../../ui/text-link.module.css";
import { TextLink } from "../../ui/text-link.tsx";
import styles from "./connections.module.css";
import { type Asked, useConnectionMenu } from "./use-connection-menu.ts";

const t = connectionsText.list;

type Props = { connections: readonly Connection[]; onAsk: (asked: Asked) => void };

export function ConnectionList({ connections, onAsk }: Props) {
  return (
    <ul className={cardStyles.card} aria-label={t.label}>
      {connections.map((connection) => (
        <ConnectionRow key={connection.id} connection={connection} onAsk={onAsk} />
      ))}
    </ul>
  );
}

function ConnectionRow({ connection, onAsk }: { connection: Connection; onAsk: Props["onAsk"] }) {
  const { timeZone } = useMe();
  const name = connectionName(connection);
  const state = shownState(connection);
  const newChats = newChatsNote(connection, timeZone);
  const entries = useConnectionMenu(connection, onAsk);
  return (
    <li className={clsx(layoutStyles.stack4, styles.conn)}>
      <span
        className={clsx(avatarStyles.avatar, !(connection.state === "connected") && avatarStyles.grey)}
        data-ui="avatar"
      >
        <Icon of={connection.kind === "instance" ? Server : Smartphone} />
      </span>
      <div className={personStyles.person} data-ui="person">
        <div className={layoutStyles.row}>
          <b>
            <TextLink
              to="/whatsapp/connections/$connectionId"
              params={{ connectionId: String(connection.id) }}
            >
              {name}
            </TextLink>
          </b>
          {connection.isDefault && (
            <Badge tone="quiet" low>
              {t.isDefault}
            </Badge>
          )}
        </div>
        <span>{deviceWords(connection)}</span>
      </div>
      <span className={clsx(textStyles.fact, styles.note)}>
        {connection.state === "pending" ? (
          <button
            type="button"
            className={textLinkStyles.link}
            onClick={() => onAsk({ what: "pair", connection })}
          >
            {t.showQr}
          </button>
        ) : (
          stateNote(connection, timeZone)
        )}
        {newChats && <span className={styles.quota}>{newChats}</span>}
      </span>
      <span className={styles.state} data-ui="state">
        <Badge tone={state.tone} icon={state.icon}>
          {state.label}
        </Badge>
      </span>
      <span className={styles.more}>
        <Menu label={t.actions(name)} entries={entries} />
      </span>
    </li>
  );
}

export function ConnectionListSkeleton() {
  return (
    <Skeleton className={cardStyles.card}>
      {["a", "b", "c"].map((row) => (
        <div key={row} className={clsx(layoutStyles.stack4, styles.conn)} style={{ minHeight: 70 }}>
          <Bone width="34px" height="34px" style={{ borderRadius: "50%" }} />
          <div>
            <Bone width="50%" />
            <Bone width="35%" style={{ marginTop: 10 }} />
          </div>
          <Bone width="60%" />
          <Bone width="110px" height="24px" />
          <Bone width="32px" height="0" />
        </div>
      ))}
    </Skeleton>
  );
}
