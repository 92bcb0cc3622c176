import { useQueryClient } from "@tanstack/react-query";
import type { Connection } from "../../../contract/connections.ts";
import { orGone } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { connectionName } from "../../connections/connection-name.ts";
import { connectionsText } from "../../messages/connections.ts";
import { leavingText as t } from "../../messages/leaving.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { toastDone, toastFailed } from "../../ui/toast.tsx";

const { disconnect, remove } = connectionsText.list;

type Props = { connection: Connection; onClose: () => void };

export function DisconnectDialog({ connection, onClose }: Props) {
  const queries = useQueryClient();
  const name = connectionName(connection);
  return (
    <ConfirmDialog
      question={t.disconnectQuestion(name)}
      moot={connection.desired === "disconnected"}
      verb={disconnect}
      busyText={t.busyDisconnect}
      failure={t.disconnectFailed}
      onClose={onClose}
      onConfirm={async () => {
        const params = { deviceId: connection.deviceId };
        const ended = await orGone(api("DELETE /api/whatsapp/session/{deviceId}", { params }));
        await queries.invalidateQueries({ queryKey: ["connections"] });
        if (!ended || ended.status === "disconnected") toastDone(t.disconnected(name));
        else toastFailed(t.disconnecting(name));
      }}
    >
      <p>{t.disconnectLost}</p>
      {staysOnPhone(connection) && <p className={layoutStyles.top2}>{t.disconnectUntold}</p>}
      <Pauses connection={connection} />
    </ConfirmDialog>
  );
}

export function RemoveDialog({ connection, onClose }: Props) {
  const queries = useQueryClient();
  const name = connectionName(connection);
  return (
    <ConfirmDialog
      question={t.removeQuestion}
      verb={remove}
      busyText={t.busyRemove}
      failure={t.removeFailed}
      onClose={onClose}
      onConfirm={async () => {
        const params = { deviceId: connection.deviceId };
        await orGone(api("DELETE /api/whatsapp/devices/{deviceId}", { params }));
        await queries.invalidateQueries({ queryKey: ["connections"] });
        toastDone(t.removed(name));
      }}
    >
      <p>{lostWith(connection)(name)}</p>
      <Pauses connection={connection} />
    </ConfirmDialog>
  );
}

/** Reasons after which no phone lists it as a device. */
const UNLINKED = ["logged_out", "qr_expired", "pairing_refused"];

/** Whether WhatsApp learns of the removal; impossible without contact. */
const whatsappLearns = ({ state, cause }: Connection) =>
  state === "connected" || state === "pending" || UNLINKED.includes(cause ?? "");

const staysOnPhone = (connection: Connection) =>
  connection.kind === "device" && connection.linked && !whatsappLearns(connection);

function lostWith(connection: Connection) {
  const { kind, cause } = connection;
  if (kind === "instance" && cause === "gone") return t.removeGoneLost;
  if (kind === "instance") return cause === "withdrawn" ? t.removeWithdrawnLost : t.removeInstanceLost;
  // Whether WhatsApp learned of the disconnect is unknown by now.
  if (cause === "disconnected_by_user") return t.removeEndedLost;
  // No phone lists it; with lost keys the phone still does.
  if (!connection.linked && cause !== "key_lost") return t.removeUnlinkedLost;
  return whatsappLearns(connection) ? t.removeLost : t.removeUnreachedLost;
}

function Pauses({ connection }: { connection: Connection }) {
  const said = t.pauses(connection.campaigns);
  return said ? <p className={layoutStyles.emphasis}>{said}</p> : null;
}
