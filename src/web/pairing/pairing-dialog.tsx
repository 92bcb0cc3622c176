import { useEffect, useState } from "react";
import type { Connection } from "../../contract/connections.ts";
import { formatPhone } from "../../domain/phone-written.ts";
import { usePairingConnection } from "../api/connections.ts";
import { useMe } from "../api/me.ts";
import { connectionCause } from "../connections/connection-cause.ts";
import { connectText } from "../messages/connect.ts";
import { Dialog } from "../ui/dialog.tsx";
import layoutStyles from "../ui/layout.module.css";
import { Notice } from "../ui/notice.tsx";
import { SegmentedTabs } from "../ui/segmented-tabs.tsx";
import { useSmallTouch } from "../ui/use-narrow.ts";
import { type Flow, FlowStatus } from "./flow-status.tsx";
import { ScanCode } from "./scan-code.tsx";
import { TypeCode } from "./type-code.tsx";

const t = connectText.dialog;

type Way = "qr" | "code";

type Props = { deviceId: string; name: string; onConnected: () => void; onClose: () => void };

export function PairingDialog({ deviceId, name, onConnected, onClose }: Props) {
  const connection = usePairingConnection(deviceId);
  const smallTouch = useSmallTouch();
  // An instance may have no number, which a pairing code needs.
  const codeFirst = smallTouch && connection?.kind !== "instance" && /^\d+$/.test(deviceId);
  const [chosen, setWay] = useState<Way | null>(null);
  const way = chosen ?? (codeFirst ? "code" : "qr");
  const scan = { value: "qr" as const, label: t.qrTab, content: <ScanCode connection={connection} /> };
  const type = { value: "code" as const, label: t.codeTab, content: <TypeCode connection={connection} /> };
  const connected = connection?.state === "connected";
  useEffect(() => {
    if (connected) onConnected();
  }, [connected, onConnected]);
  return (
    <Dialog
      title={way === "qr" ? t.scanTitle : t.codeTitle}
      context={<NameAndNumber name={name} deviceId={deviceId} />}
      size="mid"
      onClose={onClose}
    >
      <SegmentedTabs
        label={t.ways}
        value={way}
        onChange={setWay}
        tabs={codeFirst ? [type, scan] : [scan, type]}
      />
      <Trouble connection={connection} />
      <Unreached connection={connection} />
      <FlowStatus flow={flowOf(connection, way)} />
    </Dialog>
  );
}

function NameAndNumber({ name, deviceId }: { name: string; deviceId: string }) {
  const number = formatPhone(deviceId);
  if (!/^\d+$/.test(deviceId) || name.includes(number)) return <span data-ui="num">{name}</span>;
  return (
    <span data-ui="num">
      {name}, <span className={layoutStyles.nowrap}>{number}</span>
    </span>
  );
}

export function flowOf(connection: Connection | null, way: Way = "qr"): Flow {
  if (!connection) return "connecting";
  if (connection.state === "connected") return "connected";
  if (connection.state === "pending") return way === "code" ? "waitingCode" : "waiting";
  return connection.state === "disconnected" && connection.cause ? "disconnected" : "connecting";
}

function Trouble({ connection }: { connection: Connection | null }) {
  const { timeZone } = useMe();
  if (connection?.state !== "disconnected" || connection.cause === "qr_expired") return null;
  const said = connectionCause(connection, timeZone) ?? connection.cause;
  return said === null ? null : <Notice tone="danger">{said}</Notice>;
}

export function Unreached({ connection }: { connection: Connection | null }) {
  const unreached = connection?.state === "connecting" && connection.cause === "network";
  return unreached ? <Notice tone="warning">{t.unreached}</Notice> : null;
}
