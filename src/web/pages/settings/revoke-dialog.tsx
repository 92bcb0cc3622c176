import { useQueryClient } from "@tanstack/react-query";
import type { ApiKey } from "../../../contract/settings.ts";
import { api } from "../../api/call.ts";
import { useMe } from "../../api/me.ts";
import { formatNear } from "../../messages/format.ts";
import { settingsText } from "../../messages/settings.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { toastDone } from "../../ui/toast.tsx";
import { keysQuery } from "./queries.ts";

const t = settingsText.keys;

export function RevokeDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { timeZone } = useMe();
  const queries = useQueryClient();
  const { id, name, lastUsedAt } = apiKey;
  const revoke = async () => {
    const revoked = await api("DELETE /api/settings/api-keys/{id}", { params: { id } });
    queries.setQueryData(keysQuery.queryKey, (known) => known?.map((one) => (one.id === id ? revoked : one)));
    toastDone(t.revokeDone(name));
  };
  return (
    <ConfirmDialog
      question={t.revokeQuestion(name)}
      verb={t.revoke}
      busyText={t.revokeBusy}
      failure={t.revokeFailed}
      onConfirm={revoke}
      onClose={onClose}
    >
      {t.revokeLost(lastUsedAt && formatNear(lastUsedAt, timeZone))}
    </ConfirmDialog>
  );
}
