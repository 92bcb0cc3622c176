import type { Campaign } from "../../contract/campaigns.ts";
import type { Chat } from "../../contract/chats.ts";
import { formatPhone } from "../../domain/phone-written.ts";
import { causeWords } from "../lib/cause-words.ts";
import { chatText } from "../messages/chat.ts";
import { notifyText as t } from "../messages/notify.ts";

export type Words = { title: string; body: string; tag: string };

export function campaignWords(campaign: Campaign, zone: string): Words {
  const { id, name, status, counts } = campaign;
  if (status === "paused") {
    const { fact, next } = causeWords(campaign, zone);
    return { title: t.paused(name), body: `${fact} ${next}`.trim(), tag: `recado-campaign-${id}-paused` };
  }
  const tag = `recado-campaign-${id}-ended`;
  if (status === "failed") return { title: t.failed(name), body: t.failedText, tag };
  if (status === "completed")
    return { title: t.ended(name), body: t.endedText(counts.sent, counts.total), tag };
  return { title: t.endedWithErrors(name), body: t.failures(counts), tag };
}

export function chatWords(chats: readonly Chat[]): Words {
  const [chat] = chats;
  if (!chat || chats.length > 1)
    return { title: t.manyTitle, body: t.many(chats.length), tag: "recado-chats" };
  const { text, kind } = chat.last;
  const words = text.replace(/\s+/g, " ").trim();
  const what = kind === "text" ? "" : chatText.kinds[kind];
  const body = [what, words].filter(Boolean).join(": ") || t.empty;
  return { title: formatPhone(chat.name), body, tag: `recado-chat-${chat.id}` };
}
