import { useQueryClient } from "@tanstack/react-query";
import type { Connection } from "../../../contract/connections.ts";
import { orGone } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { connectionName } from "../../connections/connection-name.ts";
import { connectionsText } from "../../messages/connections.ts";
import { leavingText as t } from "../../messages/leaving.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { toastDone, toastFailed } from "../../ui/toast.tsx";

const { disconnect, remove } = connectionsText.list;

type Props = { connection: Connection; onClose: () => void };

/** Ends the session and keeps the connection. */
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
      {staysOnPhone(connection) && <p className="mt-2">{t.disconnectUntold}</p>}
      <Pauses connection={connection} />
    </ConfirmDialog>
  );
}

/** Removes the connection, after showing which campaigns that stops. */
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

/** Causes after which no phone has it among its devices. */
const UNLINKED = ["logged_out", "qr_expired", "pairing_refused"];

/** Where WhatsApp is not in contact it cannot be told. */
const isTold = ({ state, cause }: Connection) =>
  state === "connected" || state === "pending" || UNLINKED.includes(cause ?? "");

const staysOnPhone = (connection: Connection) =>
  connection.kind === "device" && connection.linked && !isTold(connection);

function lostWith(connection: Connection) {
  const { kind, cause } = connection;
  if (kind === "instance" && cause === "gone") return t.removeGoneLost;
  if (kind === "instance") return cause === "withdrawn" ? t.removeWithdrawnLost : t.removeInstanceLost;
  // Whether WhatsApp could be told when it was disconnected, nothing says any more.
  if (cause === "disconnected_by_user") return t.removeEndedLost;
  // No phone has it among its devices; the one that lost its keys is the phone's still.
  if (!connection.linked && cause !== "key_lost") return t.removeUnlinkedLost;
  return isTold(connection) ? t.removeLost : t.removeUntoldLost;
}

function Pauses({ connection }: { connection: Connection }) {
  const said = t.pauses(connection.campaigns);
  return said ? <p className="mt-2 font-medium text-ink">{said}</p> : null;
}
