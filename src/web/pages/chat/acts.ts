import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { Forward, Reply, SmilePlus, Trash2, X } from "lucide-react";
import { type KeyboardEvent, type RefObject, useMemo } from "react";
import type { ChatMessage } from "../../../contract/chats.ts";
import { isForwardable } from "../../../domain/forwarding.ts";
import { errorTextOf } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { serverNow } from "../../api/server-clock.ts";
import { chatText } from "../../messages/chat.ts";
import type { MenuEntry } from "../../ui/menu.tsx";
import { toastFailed } from "../../ui/toast.tsx";
import { putMessage } from "./use-chats.ts";
import { quoteInDraft } from "./use-draft.ts";

const t = chatText.acts;

const EMOJIS = ["👍", "❤️", "😂", "😮", "😢", "🙏"] as const;
const DELETES_WITHIN_MS = 60 * 3_600_000;

export type Acts = ReturnType<typeof useActs>;

export function useActs(
  chatId: number,
  field: RefObject<HTMLElement | null>,
  askDelete: (key: string) => void,
  forward: (key: string) => void,
) {
  const queries = useQueryClient();
  return useMemo(
    () => ({
      entries: (message: ChatMessage): MenuEntry[] => {
        if (!isAtWhatsapp(message)) return [];
        const { key } = message;
        const own = message.reactions.find(({ fromMe }) => fromMe);
        const react = (emoji: string) => void putReaction(queries, chatId, key, emoji);
        return [
          {
            label: t.reply,
            icon: Reply,
            returnTo: field,
            onSelect: () => quoteInDraft(queries, chatId, message),
          },
          ...(isForwardable({ ...message, file: fileKindOf(message) })
            ? [{ label: t.forward, icon: Forward, onSelect: () => forward(key) }]
            : []),
          ...EMOJIS.map((emoji, at) => ({
            label: t.react(emoji),
            icon: SmilePlus,
            apart: at === 0,
            onSelect: () => react(emoji),
          })),
          ...(own ? [{ label: t.takeAway, icon: X, onSelect: () => react("") }] : []),
          ...(mayDelete(message)
            ? [{ label: t.remove, icon: Trash2, danger: true, apart: true, onSelect: () => askDelete(key) }]
            : []),
        ];
      },
    }),
    [queries, chatId, field, askDelete, forward],
  );
}

const AT_WHATSAPP: readonly ChatMessage["status"][] = ["accepted", "sent", "delivered", "read"];

export const isAtWhatsapp = ({ fromMe, status }: ChatMessage) => !fromMe || AT_WHATSAPP.includes(status);

const fileKindOf = ({ attachment, receivedFile }: ChatMessage) =>
  attachment?.kind ?? receivedFile?.kind ?? null;

const mayDelete = ({ fromMe, deletedBy, deleting, at }: ChatMessage) =>
  fromMe &&
  deletedBy === null &&
  (deleting === null || deleting.status === "error" || deleting.status === "uncertain") &&
  serverNow() - Date.parse(at) < DELETES_WITHIN_MS;

async function putReaction(queries: QueryClient, chatId: number, key: string, emoji: string): Promise<void> {
  try {
    const params = { id: chatId, key };
    const message = await api("PUT /api/chats/{id}/messages/{key}/reaction", { params, body: { emoji } });
    putMessage(queries, chatId, message);
  } catch (error) {
    toastFailed(errorTextOf(error, t.reactFailed));
  }
}

export function toOtherActs(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (step === undefined || !(event.target instanceof HTMLElement) || !event.target.matches("[data-acts]"))
    return;
  event.preventDefault();
  event.stopPropagation();
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-acts]")];
  all[all.indexOf(event.target) + step]?.focus();
}
