import type { z } from "zod";
import type { Chat, ChatMessage } from "../../contract/chats.ts";
import { messageKindOf } from "../../domain/attachment.ts";
import type { MessageSource } from "../../domain/chat.ts";
import { DELIVERY, deliveryState } from "../../domain/delivery.ts";
import { renderMessage } from "../../domain/message-text.ts";
import { words } from "../base/locale.ts";
import type { AssistantOf } from "./assistant.ts";
import type { Deletion } from "./deletions.ts";
import { campaignKey, receivedKey, sentKey } from "./message-keys.ts";
import type { MessageRow } from "./messages-repo.ts";
import { type PollVote, pollOf } from "./polls.ts";
import type { Reaction } from "./reactions.ts";
import type { ChatRow } from "./repo.ts";

type ShownChat = z.input<typeof Chat>;
type ShownMessage = z.input<typeof ChatMessage>;

/** A group shows its name or id, never a member's name. */
export function toChat(row: ChatRow, assistant: AssistantOf | null, now: Date): ShownChat {
  const { id, kind, phone, unread } = row;
  const remoteId = row.jid ?? (phone === null ? null : `${phone}@s.whatsapp.net`) ?? row.lid ?? "";
  const person = kind === "person";
  const savedName = person ? row.saved_name : null;
  const pushName = person ? row.push_name : null;
  return {
    id,
    kind,
    phone,
    unread,
    savedName,
    pushName,
    remoteId,
    connectionId: row.connection_id,
    name: savedName ?? pushName ?? (person ? phone : row.subject) ?? remoteId,
    last: lastOf(row),
    optedOut: row.left_by !== null && row.left_by !== "asked",
    asksToLeave: asksToLeave(row),
    assistant: assistantOf(row, assistant, now),
  };
}

/** Shown while undecided. */
function asksToLeave({ left_by, left_text, left_at }: ChatRow): ShownChat["asksToLeave"] {
  return left_by === "asked" && left_at ? { text: left_text ?? "", at: left_at.toISOString() } : null;
}

function lastOf(row: ChatRow): ShownChat["last"] {
  if (row.sent_at !== null) {
    const kind = row.sent_attachment ? messageKindOf(row.sent_attachment) : "text";
    const at = row.sent_at.toISOString();
    return { text: row.sent_text ?? "", kind, fromMe: true, source: row.sent_origin, at };
  }
  const { last_text: text, last_kind: kind, last_from_me: fromMe, last_at } = row;
  return { text, kind, fromMe, source: fromMe ? null : "contact", at: last_at.toISOString() };
}

function assistantOf(row: ChatRow, assistant: AssistantOf | null, now: Date): ShownChat["assistant"] {
  if (assistant === null || row.kind === "group") return { state: "none", name: null, pausedUntil: null };
  const { name, active } = assistant;
  if (!active) return { state: "inactive", name, pausedUntil: null };
  if (row.agent_off) return { state: "off", name, pausedUntil: null };
  const until = row.agent_paused_until;
  if (until !== null && until > now) return { state: "paused", name, pausedUntil: until.toISOString() };
  return { state: "on", name, pausedUntil: null };
}

export const keyOf = ({ source, a, b }: Pick<MessageRow, "source" | "a" | "b">): string =>
  source === "d" ? campaignKey(a, b) : source === "o" ? sentKey(a) : receivedKey(a);

export type Facts = {
  reactions: ReadonlyMap<string, readonly Reaction[]>;
  quoted: ReadonlyMap<string, MessageRow>;
  deleted: ReadonlyMap<string, Deletion>;
  votes: ReadonlyMap<string, readonly PollVote[]>;
};

const NO_FACTS: Facts = { reactions: new Map(), quoted: new Map(), deleted: new Map(), votes: new Map() };

export function toMessage(row: MessageRow, facts: Facts = NO_FACTS): ShownMessage {
  const { source, a, us } = row;
  const key = keyOf(row);
  const fromMe = fromUs(row);
  return {
    key,
    outboxId: source === "o" ? a : null,
    requestKey: row.origin === "chat" ? row.request_key : null,
    fromMe,
    source: sourceOf(row),
    kind: row.kind ?? (row.attachment ? messageKindOf(row.attachment.kind) : "text"),
    text: textOf(row),
    attachment: row.attachment,
    reactions: (facts.reactions.get(key) ?? []).map(({ emoji, fromMe: ours, who, ...state }) => ({
      emoji,
      fromMe: ours,
      who,
      act: actOf(state),
    })),
    ...detailsOf(row),
    poll: pollOf(row, facts.votes.get(key)),
    edited: row.edited === true,
    ...deletionOf(facts.deleted.get(key)),
    quoted: quotedOf(row, facts),
    receivedFile: row.received_file,
    participant: fromMe ? null : (row.participant_name ?? row.participant),
    scheduled: row.send_at !== null && row.status === DELIVERY.pending,
    status: row.status === null ? null : statusOf(row.status),
    error: errorOf(row),
    campaign: source === "d" ? { id: a, name: row.campaign ?? "" } : null,
    at: new Date(us / 1_000).toISOString(),
  };
}

function detailsOf({ details }: MessageRow): Pick<ShownMessage, "contacts" | "place" | "chosen" | "link"> {
  const none = { contacts: [], place: null, chosen: null, link: null };
  if (details === null || "poll" in details) return none;
  return "vote" in details ? { ...none, chosen: details.vote.chosen } : { ...none, ...details };
}

/** A stored one first: its writer may send along what was never said. */
function quotedOf(row: MessageRow, { quoted }: Facts): ShownMessage["quoted"] {
  const { quoted_id, quoted_key: key, quoted: copy } = row;
  if (quoted_id === null && key === null) return null;
  const stored = key === null ? undefined : quoted.get(key);
  if (stored) {
    const { fromMe, participant, kind, text, attachment } = toMessage(stored);
    return {
      key,
      fromMe,
      who: participant,
      kind,
      text: text.slice(0, QUOTED_MOST).toWellFormed(),
      attachment,
    };
  }
  return {
    key: null,
    attachment: null,
    ...(copy ?? { fromMe: null, who: null, kind: "other" as const, text: "" }),
  };
}

const QUOTED_MOST = 1_000;

function actOf(state: { status: number | null; error: string | null }): ShownAct {
  if (state.status === null || state.status >= DELIVERY.accepted) return null;
  return { status: statusOf(state.status) ?? "pending", error: errorOf(state) };
}

type ShownAct = ShownMessage["deleting"];

function deletionOf(deletion: Deletion | undefined): Pick<ShownMessage, "deletedBy" | "deleting"> {
  const deleting = deletion ? actOf(deletion) : null;
  return { deletedBy: deletion && deleting === null ? deletion.by : null, deleting };
}

export const fromUs = ({ source, from_me }: MessageRow): boolean => source !== "m" || from_me === true;

function sourceOf(row: MessageRow): MessageSource {
  if (row.source === "d") return "campaign";
  if (row.source === "o") return row.origin ?? "api";
  if (row.from_me !== true) return "contact";
  return row.via_api === true ? "gateway" : "phone";
}

export function textOf(row: MessageRow): string {
  if (row.source !== "d") return row.text;
  return renderMessage(
    row.text,
    row.name ?? "",
    row.name_fallback ?? "",
    row.text_version ?? undefined,
    row.vars,
  );
}

function statusOf(code: number): ShownMessage["status"] {
  const state = deliveryState(code);
  return state === "waiting" ? "pending" : state;
}

function errorOf({ status, error }: Pick<MessageRow, "status" | "error">): ShownMessage["error"] {
  if (status !== DELIVERY.error && status !== DELIVERY.uncertain && status !== DELIVERY.skipped) return null;
  const doubt = status === DELIVERY.uncertain;
  return { code: error ?? (doubt ? "no_ack" : "refused"), text: words().failureText(error, doubt) };
}
