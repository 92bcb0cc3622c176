import type { Gateway, Instance } from "../../../contract/gateways.ts";
import { orGone } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { useConnections } from "../../api/connections.ts";
import { instancesText } from "../../messages/instances.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { toastDone } from "../../ui/toast.tsx";
import { useKnown } from "./use-gateways.ts";

const t = instancesText.gateway.removing;

type Props = {
  gateway: Gateway;
  /** Null if the server does not list them. */
  instances: readonly Instance[] | null;
  onClose: () => void;
};

export function DeleteGatewayDialog({ gateway, instances, onClose }: Props) {
  const known = useKnown();
  const ids = instances && new Set(instances.map(({ connectionId }) => connectionId));
  const stopped = (useConnections().data ?? [])
    .filter(({ id, kind }) => (ids ? ids.has(id) : kind === "instance" && gateway.instances > 0))
    .reduce((sum, { campaigns: { sending, paused, scheduled } }) => sum + sending + paused + scheduled, 0);
  return (
    <ConfirmDialog
      question={t.question(gateway.name)}
      verb={instancesText.gateway.remove}
      busyText={t.busy}
      failure={t.failed}
      onClose={onClose}
      onConfirm={async () => {
        await orGone(api("DELETE /api/gateways/{id}", { params: { id: gateway.id } }));
        known.noGateway(gateway);
        known.refresh();
        toastDone(t.done(gateway.name));
      }}
    >
      <p>{t.lost(gateway.instances)}</p>
      {stopped > 0 && <p className={layoutStyles.emphasis}>{ids ? t.pauses(stopped) : t.pausesSome}</p>}
    </ConfirmDialog>
  );
}
