import { useQueryClient } from "@tanstack/react-query";
import { api } from "../../api/call.ts";
import { chatText } from "../../messages/chat.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { putMessage } from "./use-chats.ts";

const t = chatText.acts;

type Props = { messageKey: string; chatId: number; onClose: () => void };

/** Outside the virtualized bubble, which may be unmounted while the question is open. */
export function DeleteDialog({ messageKey, chatId, onClose }: Props) {
  const queries = useQueryClient();
  return (
    <ConfirmDialog
      question={t.askDelete}
      verb={t.remove}
      failure={t.deleteFailed}
      onConfirm={async () => {
        const params = { id: chatId, key: messageKey };
        putMessage(queries, chatId, await api("DELETE /api/chats/{id}/messages/{key}", { params }));
      }}
      onClose={onClose}
    >
      <p>{t.askDeleteText}</p>
    </ConfirmDialog>
  );
}
