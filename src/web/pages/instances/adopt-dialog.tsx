import type { Instance } from "../../../contract/gateways.ts";
import { api } from "../../api/call.ts";
import { instancesText } from "../../messages/instances.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { toastDone } from "../../ui/toast.tsx";
import { shownName } from "./instance-words.ts";
import { useKnown } from "./use-gateways.ts";

const t = instancesText.adopting;

export function AdoptDialog({ instance, onClose }: { instance: Instance; onClose: () => void }) {
  const known = useKnown();
  const { gatewayId, name } = instance;
  return (
    <ConfirmDialog
      question={t.question(name)}
      look="primary"
      verb={t.verb}
      busyText={t.busy}
      failure={t.failed}
      onClose={onClose}
      onConfirm={async () => {
        const params = { id: gatewayId, name };
        known.instance(await api("POST /api/gateways/{id}/instances/{name}/adopt", { params }));
        known.refresh();
        toastDone(t.done(shownName(instance)));
      }}
    >
      <p>{t.text}</p>
    </ConfirmDialog>
  );
}
