import type { Gateway, Instance } from "../../../contract/gateways.ts";
import { orGone } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { useConnections } from "../../api/connections.ts";
import { instancesText } from "../../messages/instances.ts";
import { leavingText } from "../../messages/leaving.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { toastDone } from "../../ui/toast.tsx";
import { useKnown } from "./use-gateways.ts";

const t = instancesText.removing;

type Props = { instance: Instance; gateway: Gateway | null; onClose: () => void };

export function DeleteInstanceDialog({ instance, gateway, onClose }: Props) {
  const known = useKnown();
  const { gatewayId, name, connectionId, counts, cause } = instance;
  const connection = useConnections().data?.find(({ id }) => id === connectionId);
  const pauses = connection ? leavingText.pauses(connection.campaigns) : null;
  return (
    <ConfirmDialog
      question={t.question(name)}
      verb={t.verb}
      busyText={t.busy}
      failure={t.failed}
      onClose={onClose}
      onConfirm={async () => {
        const params = { id: gatewayId, name };
        const removed = await orGone(api("DELETE /api/gateways/{id}/instances/{name}", { params }));
        known.noInstance(instance);
        known.refresh();
        // If only its server was forgotten here, the instance still exists there.
        if (removed) toastDone(t.done(name));
      }}
    >
      <p>
        {cause === "gone" ? t.gone : gateway?.withdrawn ? t.withdrawn : t.there(counts)}{" "}
        {connectionId !== null && t.here}
      </p>
      {pauses && <p className={layoutStyles.emphasis}>{pauses}</p>}
    </ConfirmDialog>
  );
}
