import { Server, Smartphone } from "lucide-react";
import type { Connection } from "../../../contract/connections.ts";
import { useMe } from "../../api/me.ts";
import { connectionName } from "../../connections/connection-name.ts";
import { shownState, stateNote } from "../../connections/connection-words.ts";
import { deviceWords } from "../../connections/device-words.ts";
import { connectionsText } from "../../messages/connections.ts";
import { Badge } from "../../ui/badge.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Menu } from "../../ui/menu.tsx";
import { Bone, Skeleton } from "../../ui/skeleton.tsx";
import { type Asked, useConnectionMenu } from "./use-connection-menu.ts";

const t = connectionsText.list;

type Props = { connections: readonly Connection[]; onAsk: (asked: Asked) => void };

export function ConnectionList({ connections, onAsk }: Props) {
  return (
    <ul className="card" aria-label={t.label}>
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
  const entries = useConnectionMenu(connection, onAsk);
  return (
    <li className="conn">
      <span className={connection.state === "connected" ? "avatar" : "avatar grey"}>
        <Icon of={connection.kind === "instance" ? Server : Smartphone} />
      </span>
      <div className="person">
        <div className="name">
          <b>{name}</b>
          {connection.isDefault && (
            <Badge tone="quiet" low>
              {t.isDefault}
            </Badge>
          )}
        </div>
        <span>{deviceWords(connection)}</span>
      </div>
      <span className="note">
        {connection.state === "pending" ? (
          <button type="button" className="link" onClick={() => onAsk({ what: "pair", connection })}>
            {t.showQr}
          </button>
        ) : (
          stateNote(connection, timeZone)
        )}
      </span>
      <span className="state">
        <Badge tone={state.tone} icon={state.icon}>
          {state.label}
        </Badge>
      </span>
      <span className="more">
        <Menu label={t.actions(name)} entries={entries} />
      </span>
    </li>
  );
}

export function ConnectionListSkeleton() {
  return (
    <Skeleton className="card">
      {["a", "b", "c"].map((row) => (
        <div key={row} className="conn" style={{ minHeight: 70 }}>
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
