import type { z } from "zod";
import type { PersonEvent } from "../../contract/people.ts";
import { deliveryState } from "../../domain/delivery.ts";
import type { Owner } from "../db/owner.ts";
import { campaignsOf } from "../sending/sending.ts";
import { type EventPlace, readEventCursor, writeCursor } from "./people-cursor.ts";

export type Reply = { id: number; chat_id: number; connection_id: number; text: string; us: number };
type Before = { us: number; id: number };

/** What a person wrote, newest first. Chats stand above contacts, whose names they show. */
export type RepliesOf = (
  owner: Owner,
  phone: string,
  before: Before | null,
  limit: number,
) => Promise<Reply[]>;

type Event = { place: EventPlace; event: z.input<typeof PersonEvent> };
type Wanted = { cursor?: string | undefined; limit: number; repliesOf: RepliesOf };

/** By time, newest first; at one instant campaigns come before replies. */
export async function personHistory(owner: Owner, phone: string, { cursor, limit, repliesOf }: Wanted) {
  const place = readEventCursor(cursor);
  const sent = await campaignsOf(owner).to(phone, before("campaign", place), limit + 1);
  const written = await repliesOf(owner, phone, before("reply", place), limit + 1);
  const events = [...sent.map(campaignEvent), ...written.map(replyEvent)].toSorted(newestFirst);
  const page = events.slice(0, limit);
  const last = events.length > limit ? page.at(-1) : undefined;
  return {
    items: page.map(({ event }) => event),
    campaigns: await campaignsOf(owner).countTo(phone),
    next: last ? writeCursor(last.place) : null,
  };
}

type Kind = EventPlace["kind"];
const KINDS: readonly Kind[] = ["campaign", "reply"];
const BEYOND_ALL_IDS = 999_999_999_999_999;

/** Of one kind: at the place's instant, kinds that come later are still to be shown. */
function before(kind: Kind, place: EventPlace | null): Before | null {
  if (place === null || place.kind === kind) return place;
  return { us: place.us, id: KINDS.indexOf(kind) > KINDS.indexOf(place.kind) ? BEYOND_ALL_IDS : 0 };
}

function newestFirst({ place: a }: Event, { place: b }: Event): number {
  return b.us - a.us || KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || b.id - a.id;
}

const instant = (us: number) => new Date(us / 1_000).toISOString();

type Sent = Awaited<ReturnType<ReturnType<typeof campaignsOf>["to"]>>[number];

function campaignEvent({ id, name, status, error, parts, partsSent, us }: Sent): Event {
  const state = deliveryState(status);
  return {
    place: { us, kind: "campaign", id },
    event: {
      kind: "campaign",
      at: instant(us),
      campaignId: id,
      campaignName: name,
      status: state === "waiting" ? "pending" : state,
      reason: error,
      messages: parts === 1 ? null : { sent: partsSent, all: parts },
    },
  };
}

function replyEvent({ id, chat_id: chatId, connection_id: connectionId, text, us }: Reply): Event {
  return {
    place: { us, kind: "reply", id },
    event: { kind: "reply", at: instant(us), chatId, connectionId, text: text === "" ? null : text },
  };
}
