import { useQueryClient } from "@tanstack/react-query";
import type { MessageTemplate } from "../../../contract/library.ts";
import { orGone } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { libraryText as t } from "../../messages/library.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { toastDone } from "../../ui/toast.tsx";

type Props = { template: MessageTemplate; onClose: () => void };

export function RemoveTemplateDialog({ template: { id, name }, onClose }: Props) {
  const queries = useQueryClient();
  return (
    <ConfirmDialog
      question={t.removeQuestion(name)}
      verb={t.remove}
      busyText={t.removing}
      failure={t.removeFailed}
      onConfirm={async () => {
        await orGone(api("DELETE /api/message-templates/{id}", { params: { id } }));
        await queries.invalidateQueries({ queryKey: ["templates"] });
        toastDone(t.removed(name));
      }}
      onClose={onClose}
    >
      <p>{t.removeText}</p>
    </ConfirmDialog>
  );
}
